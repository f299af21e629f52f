// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/metrics/summary.hpp"
#include "sim/pool/block_pool.hpp"
#include "sim/pool/events.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

/// Turns the event stream into the figures of a run. Gauges are read from the pool when it is at
/// rest: before and after a round, and when the clock moves on.
class Metrics final : public Observer {
 public:
  Metrics(const CacheConfig& config, const BlockPool& pool, std::uint64_t seed);

  void on_event(const Event& event) override;
  /// The figures so far; `unfinished` sequences are the caller's to add.
  Summary summary() const;

 private:
  void sample();
  void advance(SimTime now);

  const CacheConfig& config_;
  const BlockPool& pool_;
  Summary summary_;
  void settle_round();

  SimTime now_;
  /// Blocks held after the latest of the rounds that follow one another in a step.
  std::optional<std::uint64_t> after_rounds_;
  // Slot counts integrated over virtual time: slots × nanoseconds.
  WideCount held_time_ = 0, live_time_ = 0, hole_time_ = 0, tail_time_ = 0;
};

}  // namespace vacancy
