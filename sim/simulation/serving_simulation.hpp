// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/device/transfers.hpp"
#include "sim/simulation/broadcast.hpp"
#include "sim/simulation/copied_slots.hpp"
#include "sim/simulation/run_status.hpp"
#include "sim/simulation/serving_config.hpp"
#include "sim/simulation/serving_rounds.hpp"

namespace vacancy {

/// A run of an engine: requests arrive, the scheduler composes steps, steps take time, their
/// outputs complete requests.
///
/// At the end of a step its output is read, then requests that have arrived join the queue, then
/// the next step is composed, all in no time. With two steps in flight the next step already runs
/// by then, and the one after it is composed.
class ServingSimulation {
 public:
  /// Observers outlive the simulation and hear every event in the order given.
  ServingSimulation(ServingConfig config, std::unique_ptr<RequestSource> requests);
  ServingSimulation(const ServingSimulation&) = delete;
  ServingSimulation& operator=(const ServingSimulation&) = delete;
  ~ServingSimulation() = default;

  void add_observer(Observer& observer) { broadcast_.observers.push_back(&observer); }

  /// The memory manager's sharing() will be asked for. Before the first step.
  void follow_sharing() { cache_->follow_sharing(); }

  /// Composes one step, or completes one, or waits for the next arrival; the status after it.
  RunStatus step();
  RunStatus status() const { return status_; }
  /// An intervention between two calls of step(), where the rounds of a step have just been:
  /// carries out what a reclaimer plans for a request now. What it moves holds up the step that is
  /// composed next. False, and nothing changed, if the run does not evict, or as
  /// RoundRunner::reclaim().
  bool reclaim(SequenceId id, const Reclaimer& reclaimer);
  /// Rounds from here on reclaim another way (RoundConfig::change_reclaim). Of a run that evicts.
  void change_reclaim(std::shared_ptr<const Reclaimer> reclaimer,
                      std::optional<BlockAggregate> whole_blocks);
  /// Why a run ended as `stopped`: one sentence.
  const std::string& stop_reason() const { return stop_reason_; }

  const ServingConfig& config() const { return config_; }
  const CacheManager& cache() const { return *cache_; }
  /// A request that waits or runs.
  const Request& request(SequenceId id) const { return scheduler_.request(id); }
  SimTime now() const { return now_; }
  std::uint64_t requests_seen() const { return seen_; }
  std::uint64_t requests_done() const { return done_; }
  /// Requests that arrived and are not done, rejected ones included.
  std::uint64_t requests_left() const { return seen_ - done_; }

 private:
  struct InFlight {
    Step step;
    SimTime end;
  };
  void take_arrivals();
  bool may_join(const Request& next) const;
  /// Throws UserError for a request that grows beyond the end of the attention source, or of what
  /// the engine serves.
  void check_length(const Request& request) const;
  void compose();
  void complete_oldest();
  /// Shared blocks are copied before the step that writes to them runs.
  void wait_for_copies();
  void wait_for_arrival();
  void stop_at_time_cap();
  void run_rounds(const Step& step);
  /// What came from a host tier, or went there to make room, holds up the step composed last.
  void wait_for_host_tier();
  /// What rounds moved holds up the step that is composed next.
  void wait_for_moves();
  /// E-33: it does not; steps run while survivors move.
  void run_across(const ServingRounds::Moved& moved, SimTime length);
  void report_run_across(const Step& step, const std::vector<SequenceId>& moving);
  void advance(SimTime now);
  void stop(std::string reason);

  ServingConfig config_;
  Broadcast broadcast_;
  CopiedSlots copied_;  // hears events where requests have candidates
  std::unique_ptr<CacheManager> cache_;
  Scheduler scheduler_;
  std::optional<ServingRounds> rounds_;
  std::unique_ptr<RequestSource> source_;
  std::optional<Request> next_;  // read, but not arrived
  std::deque<InFlight> in_flight_;
  std::vector<Step> spare_;  // steps whose memory is used again
  RunStatus status_ = RunStatus::running;
  std::string stop_reason_;
  SimTime now_, engine_free_;  // when the step composed last ends
  // E-33: requests whose survivors move until then.
  std::vector<SequenceId> moving_;
  SimTime moving_until_;
  SharedLink to_host_, from_host_;  // of a host tier
  bool first_step_ = true;
  std::uint64_t seen_ = 0, done_ = 0;
};

}  // namespace vacancy
