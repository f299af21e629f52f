// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/serving/scheduler.hpp"
#include "sim/simulation/round.hpp"

namespace vacancy {

/// Eviction inside the requests of an engine: a request that got a token has its round when its
/// trigger says so, a request that is still computing its prompt has none. What a round frees is
/// the scheduler's at once.
class ServingRounds {
 public:
  ServingRounds(const RoundConfig& config, KvCache& cache, Observer& observer);

  /// After a step: rounds of the requests that grew. Returns the bytes moved.
  Bytes after_step(const Step& step, const Scheduler& scheduler);
  /// Before a request is preempted for want of blocks: one round of a request that can give some,
  /// the longest first, if the trigger is allocation failure. False if none can. Requests that the
  /// present step computes keep the tokens that it will yield keys and values for.
  bool relieve(const Scheduler& scheduler);
  /// Forgets a request that ended or was preempted.
  void close(SequenceId id);
  /// Bytes that relieve() moved since the last call.
  Bytes take_moved();

 private:
  bool run(SequenceId id, const Scheduler& scheduler);
  void under_pressure(const Scheduler& scheduler);

  const RoundConfig& config_;
  KvCache& cache_;
  RoundRunner rounds_;
  /// No round below this length: a skipped round is not tried again at every token.
  std::unordered_map<std::uint32_t, std::uint32_t> rest_until_;
  bool usage_armed_ = false;
  Bytes moved_;
};

}  // namespace vacancy
