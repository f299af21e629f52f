// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/scheduler.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"

namespace vacancy::test {

/// So many blocks of 4 tokens.
inline HashChainOptions pool_of(std::uint32_t blocks) {
  HashChainOptions options;
  options.block_size = 4;
  options.blocks = blocks;
  return options;
}

/// A scheduler over vLLM's memory manager in the hands of a test, with what its events say.
class SchedulerUse final : public Observer {
 public:
  using Ids = std::vector<std::uint32_t>;
  using Parts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // request, tokens

  SchedulerUse(const HashChainOptions& cache, const SchedulerOptions& options)
      : manager(cache, Bytes(), *this), scheduler(options, manager, *this) {}

  /// A request whose tokens nobody shares; its id.
  std::uint32_t add(std::uint32_t prompt, std::uint32_t output, std::int32_t priority = 0,
                    SimTime arrival = {}) {
    Request request;
    request.id = SequenceId(static_cast<std::uint32_t>(outputs_.size()));
    request.prompt_tokens = prompt;
    request.output_tokens = output;
    request.priority = priority;
    request.arrival = arrival;
    outputs_.push_back(output);
    scheduler.add(std::move(request));
    return static_cast<std::uint32_t>(outputs_.size() - 1);
  }

  /// Composes one more step; it is in flight until complete().
  const Step& compose() {
    scheduler.compose(flight_.emplace_back());
    manager.cache()->check_invariants();
    return flight_.back();
  }
  /// Completes the oldest step in flight.
  Step complete() {
    Step step = std::move(flight_.front());
    flight_.pop_front();
    scheduler.complete(step);
    manager.cache()->check_invariants();
    return step;
  }
  Step run() {
    compose();
    return complete();
  }
  /// Until nothing is left: every request got its output tokens, or was rejected.
  void run_to_the_end(std::uint32_t in_flight = 1) {
    while (!scheduler.idle()) {
      while (flight_.size() < in_flight)
        compose();
      complete();
    }
    while (!flight_.empty())
      complete();
    for (std::uint32_t id = 0; id < outputs_.size(); ++id)
      if (rejected.count(id) == 0) CHECK(produced[id] == outputs_[id]);
    CHECK(manager.used_blocks() == 0);
  }

  static Parts parts(const Step& step) {
    Parts parts;
    for (const ScheduledTokens& part : step.scheduled)
      parts.emplace_back(part.sequence.value(), part.tokens);
    return parts;
  }
  static Ids ids(const std::vector<SequenceId>& sequences) {
    Ids ids;
    for (const SequenceId id : sequences)
      ids.push_back(id.value());
    return ids;
  }
  Ids running() const { return ids(scheduler.running_requests()); }

  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<StepCompleted>(&event))
      for (const SequenceId id : e->produced)
        ++produced[id.value()];
    if (const auto* e = std::get_if<RequestAdmitted>(&event)) admissions.push_back(*e);
    if (const auto* e = std::get_if<PrefixLookedUp>(&event)) lookups.push_back(*e);
    if (const auto* e = std::get_if<RequestRejected>(&event)) rejected.insert(e->sequence.value());
  }

  std::map<std::uint32_t, std::uint32_t> produced;  // output tokens by request
  std::vector<RequestAdmitted> admissions;
  std::vector<PrefixLookedUp> lookups;
  std::set<std::uint32_t> rejected;
  HashChainManager manager;
  Scheduler scheduler;

 private:
  std::vector<std::uint32_t> outputs_;
  std::deque<Step> flight_;
};

}  // namespace vacancy::test
