// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/registry/parameter.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/serving/request_source.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/simulation/config.hpp"
#include "sim/workload/beam_parents.hpp"

namespace vacancy {

/// When requests reach the engine.
enum class ArrivalRule {
  trace,        // at the trace's own times
  closed_loop,  // all wait from the start, or a new one comes as soon as one is done
  poisson,      // independent, at a given rate
  gamma         // the same with bursts
};

template <>
struct EnumNames<ArrivalRule> {
  static constexpr EnumName<ArrivalRule> table[] = {{ArrivalRule::trace, "trace"},
                                                    {ArrivalRule::closed_loop, "closed_loop"},
                                                    {ArrivalRule::poisson, "poisson"},
                                                    {ArrivalRule::gamma, "gamma"}};
};

/// Where a serving run stops although requests are left: a livelock would never end by itself.
struct ServingCaps {
  std::optional<SimTime> virtual_time;
  /// Preemptions of one request between two of its output tokens.
  std::uint32_t fruitless_preemptions = 1000;
};

/// Everything that a serving run is a function of, beside its requests.
struct ServingConfig {
  EngineProfile engine;
  Bytes block_bytes;
  SchedulerOptions scheduler;
  ArrivalRule arrivals = ArrivalRule::trace;
  std::optional<std::uint32_t>
      concurrency;  // closed loop: requests present at a time; nothing: all
  /// How long a step takes. Nothing: 1 ms.
  std::function<SimTime(const Step&)> step_time;
  /// Eviction inside running requests; nothing: none. Needs a memory manager with block tables.
  std::optional<RoundConfig> rounds;
  /// Beam search by all requests, of that width (Request::width); nothing: none. Needs a profile
  /// that manages memory as vLLM does, with one step in flight and without eviction.
  std::optional<BeamParents> beams;
  /// How long moving these bytes, or copying shared blocks, holds up the engine. Nothing: not at
  /// all.
  std::function<SimTime(Bytes)> copy_time;
  /// How long choosing the keep sets of requests with so many cached tokens in all holds up the
  /// engine. Nothing: not at all.
  std::function<SimTime(std::uint64_t)> selection_time;
  /// What a round of one request holds up the engine, beside what it moves.
  SimTime round_time;
  /// How long so many bytes take over the link to the host, in one direction. A step waits for
  /// what is swapped out or in for it, and for what a host tier of the prefix cache loads, or
  /// writes to make room. Nothing: no time.
  std::function<SimTime(Bytes)> link_time;
  SimTime cold_start;  // the engine's loop is blocked so long by launching the first step
  ServingCaps caps;
};

}  // namespace vacancy
