// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/serving/scheduler.hpp"
#include "sim/simulation/round.hpp"

namespace vacancy {

/// Eviction inside the requests of an engine: a request that got a token has its round when its
/// trigger says so, a request that is still computing its prompt has none. What a round frees is
/// the scheduler's at once. Steps in flight then still run with the tables that they were composed
/// with, and what a round moves waits for them: the next step is the first to see it.
class ServingRounds {
 public:
  ServingRounds(const RoundConfig& config, KvCache& cache, Observer& observer);

  /// After a step: rounds of the requests that grew. Requests may be preempted for them.
  void after_step(const Step& step, Scheduler& scheduler);
  /// Before a request is preempted for want of blocks: one round of a request that can give some,
  /// the longest first, if the trigger is allocation failure. False if none can. Requests that the
  /// present step computes keep the tokens that it will yield keys and values for.
  bool relieve(const Scheduler& scheduler);
  /// Between two steps, without evicting: RoundRunner::reclaim(). False if it cannot be.
  bool reclaim(SequenceId id, const Reclaimer& reclaimer);
  void reclaim_changed() { rounds_.reclaim_changed(); }
  /// Forgets a request that ended.
  void close(SequenceId id);
  /// The same for one that lost its blocks and will have others.
  void preempted(SequenceId id);

  /// What rounds did.
  struct Moved {
    std::uint32_t rounds = 0;       // skipped ones not counted
    std::uint64_t chosen_from = 0;  // cached tokens of their requests before
    Bytes bytes;
    std::vector<SequenceId> requests;  // whose tokens moved
  };
  /// Since the last call.
  Moved take_moved();

 private:
  /// False if it was skipped. `make_room`: RoundRunner::run().
  bool run(SequenceId id, const Scheduler& scheduler, const std::function<bool()>& make_room = {});
  /// The same between two steps, where requests that were not compressed yet can give way.
  void run_between_steps(SequenceId id, Scheduler& scheduler);
  bool is_due(const Growth& growth, SequenceId id) const;
  void under_pressure(Scheduler& scheduler);
  bool has(EvictionFault fault) const { return config_.eviction.faults.has(fault); }
  void note_moved(const CachedSequence& sequence, Bytes bytes);
  void compact_lost_blocks(const CachedSequence& sequence);

  const RoundConfig& config_;
  KvCache& cache_;
  Observer& observer_;
  RoundRunner rounds_;
  /// No round below this length: a skipped round is not tried again at every token.
  std::unordered_map<std::uint32_t, std::uint32_t> rest_until_;
  /// Requests whose round was postponed: it is due whatever the trigger says.
  std::unordered_set<std::uint32_t> postponed_;
  bool usage_armed_ = false;
  Moved moved_;

  // Defects.
  bool off_ = false;  // E-36
  /// E-35: the blocks of a request after its last round, and whether it lost them since.
  struct Remembered {
    std::vector<BlockId> blocks;
    bool lost = false;
  };
  std::unordered_map<std::uint32_t, Remembered> remembered_;
};

}  // namespace vacancy
