// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>

#include "sim/pool/cache_gauges.hpp"
#include "sim/pool/events.hpp"

namespace vacancy {

/// timeline.csv: the cache at rest, one row before and after each round and one at the end of each
/// step. Integers only; counts of tokens and blocks are cumulative.
class Timeline final : public Observer {
 public:
  Timeline(std::ostream& out, std::function<CacheGauges()> gauges);

  void on_event(const Event& event) override;

 private:
  void row(const char* moment);

  std::ostream& out_;
  std::function<CacheGauges()> gauges_;
  SimTime now_;
  std::uint64_t rounds_ = 0, evicted_set_tokens_ = 0, vacated_tokens_ = 0;
  std::int64_t blocks_freed_ = 0;
};

}  // namespace vacancy
