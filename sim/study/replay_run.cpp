// SPDX-License-Identifier: Apache-2.0
#include "sim/study/replay_run.hpp"

#include "sim/units/format.hpp"

namespace vacancy {

Summary ReplayRun::summary() const {
  Summary summary = replay_->summary();
  summary.run.seed = seed_;
  return summary;
}

std::string ReplayRun::stop_reason() const {
  const std::uint64_t rejected = replay_->summary().serving.rejected;
  if (rejected == 0) return "";
  return format_count(rejected) +
         " requests were rejected: each needs more blocks than the pool has. Give it more "
         "(cache.blocks).";
}

}  // namespace vacancy
