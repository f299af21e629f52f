// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/study/scenario_run.hpp"

namespace vacancy {

/// Requests through a prefix cache, without a clock.
class ReplayRun final : public ScenarioRun {
 public:
  /// `observer`, for block_replay, outlives the run.
  explicit ReplayRun(const Scenario& scenario, BlockCacheObserver* observer = nullptr)
      : seed_(scenario.seed), replay_(build_replay(scenario, observer)) {}

  bool step() override { return replay_->serve(); }
  std::uint64_t done() const override { return replay_->requests(); }
  Summary summary() const override;
  std::string stop_reason() const override;

 private:
  std::uint64_t seed_;
  std::unique_ptr<Replay> replay_;
};

}  // namespace vacancy
