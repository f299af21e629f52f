// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/kv_cache.hpp"
#include "sim/simulation/broadcast.hpp"
#include "sim/simulation/config.hpp"
#include "sim/simulation/round.hpp"
#include "sim/simulation/run_status.hpp"

namespace vacancy {

/// One run. A step prefills one prompt or gives each running sequence one token, which takes 1 ms
/// of virtual time; at its end the sequences that grew have their rounds, as the trigger says, and
/// those that are complete leave, unless none is left to run: the run ends with the last ones still
/// held, so that end values show them.
class Simulation {
 public:
  /// Observers outlive the simulation and hear every event in the order given.
  Simulation(SimulationConfig config, std::vector<Observer*> observers);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation() = default;

  /// For observers that read the pool: add them before the first step.
  void add_observer(Observer& observer) { broadcast_.observers.push_back(&observer); }

  /// One step; the status after it. No effect once the run is over.
  RunStatus step();
  RunStatus status() const { return status_; }
  /// An intervention between two steps: carries out what a reclaimer plans for a sequence now, as
  /// at the end of a round. False, and nothing changed, if the sequence is not in the cache or
  /// never had a round, or the plan is refused or finds too few blocks.
  bool reclaim(SequenceId id, const Reclaimer& reclaimer);
  /// Rounds from here on reclaim another way (RoundConfig::change_reclaim).
  void change_reclaim(std::shared_ptr<const Reclaimer> reclaimer,
                      std::optional<BlockAggregate> whole_blocks);

  const SimulationConfig& config() const { return config_; }
  const KvCache& cache() const { return cache_; }
  SimTime now() const { return now_; }
  /// Tokens appended and tokens planned, for progress.
  std::uint64_t tokens_done() const { return tokens_done_; }
  std::uint64_t tokens_planned() const { return tokens_planned_; }
  /// Sequences that lack tokens.
  std::uint64_t unfinished() const { return unfinished_; }
  /// Where the run went out of memory.
  const std::optional<OutOfMemory>& out_of_memory() const { return out_of_memory_; }

 private:
  void grow_sequences();
  void prefill();
  void decode();
  /// Appends tokens to a sequence, after rounds on allocation failure where the trigger says so.
  bool grow(SequenceId id, std::uint32_t count);
  bool make_room(SequenceId id, std::uint32_t count);
  void run_round(SequenceId id);
  void rounds_after_growth();
  void rounds_under_pressure();
  void finish_completed();
  /// Tokens of a sequence when it is complete.
  std::uint32_t final_length(SequenceId id) const;
  bool complete(SequenceId id) const;

  SimulationConfig config_;
  Broadcast broadcast_;
  KvCache cache_;
  RoundRunner rounds_;
  RunStatus status_ = RunStatus::running;
  SimTime now_;
  std::vector<SequenceId> running_;  // ascending
  struct Grown {
    SequenceId id;
    std::uint32_t count;
  };
  std::vector<Grown> grown_;  // in this step
  /// Per sequence: no round below this length. A skipped round is not tried again at every token.
  std::vector<std::uint32_t> rest_until_;
  std::uint32_t next_prefill_ = 0;
  bool usage_armed_ = false;
  std::uint64_t tokens_done_ = 0, tokens_planned_ = 0, unfinished_ = 0;
  std::optional<OutOfMemory> out_of_memory_;
};

}  // namespace vacancy
