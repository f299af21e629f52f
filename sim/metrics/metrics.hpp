// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/metrics/summary.hpp"
#include "sim/pool/cache_gauges.hpp"
#include "sim/pool/events.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

/// Turns the event stream into the figures of a run. Gauges are read from the pool when it is at
/// rest: before and after a round, and when the clock moves on.
class Metrics final : public Observer {
 public:
  /// `gauges` reads the cache; the events themselves say what changes.
  Metrics(const CacheConfig& config, std::function<CacheGauges()> gauges, std::uint64_t seed);
  Metrics(const CacheConfig& config, const BlockPool& pool, std::uint64_t seed);

  void on_event(const Event& event) override;
  /// The figures so far; `unfinished` sequences are the caller's to add.
  Summary summary() const;

 private:
  CacheGauges sample();
  void advance(SimTime now);

  void settle_round();
  void count_step(const StepComposed& step);

  CacheConfig config_;
  std::function<CacheGauges()> gauges_;
  Summary summary_;
  bool composed_ = false;  // a scheduler composes the steps
  SimTime now_;
  /// Blocks held after the latest of the rounds that follow one another in a step.
  std::optional<std::uint64_t> after_rounds_;
  std::uint64_t moved_before_round_ = 0;  // set tokens
  // Slot counts integrated over virtual time: slots × nanoseconds.
  WideCount held_time_ = 0, live_time_ = 0, hole_time_ = 0, tail_time_ = 0;
  WideCount shared_time_ = 0, saved_time_ = 0;   // blocks × nanoseconds
  WideCount mapped_time_ = 0, useful_time_ = 0;  // pages and blocks × nanoseconds
};

}  // namespace vacancy
