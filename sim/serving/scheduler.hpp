// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

/// Who is admitted first, and who is preempted last.
enum class SchedulingPolicy { fcfs, priority };

template <>
struct EnumNames<SchedulingPolicy> {
  static constexpr EnumName<SchedulingPolicy> table[] = {{SchedulingPolicy::fcfs, "fcfs"},
                                                         {SchedulingPolicy::priority, "priority"}};
};

/// Where a preempted request joins the waiting ones, unless its rank says (SchedulingPolicy).
enum class Requeue {
  front,
  back  // no engine does so (an ablation)
};

template <>
struct EnumNames<Requeue> {
  static constexpr EnumName<Requeue> table[] = {{Requeue::front, "front"}, {Requeue::back, "back"}};
};

/// Which running request gives way when blocks lack.
enum class Victim {
  newest,           // admitted last
  oldest,           // admitted first; no engine does so (an ablation)
  lowest_priority,  // and of these the one that arrived last
  least_output      // S13: on ties the one with the longest prompt
};

template <>
struct EnumNames<Victim> {
  static constexpr EnumName<Victim> table[] = {{Victim::newest, "newest"},
                                               {Victim::oldest, "oldest"},
                                               {Victim::lowest_priority, "lowest_priority"},
                                               {Victim::least_output, "least_output"}};
};

/// What becomes of the tokens of a request that gives way.
enum class Preemption {
  recompute,  // they are computed again (V21)
  swap        // their blocks are copied to the host and back (PagedAttention, section 4.5)
};

template <>
struct EnumNames<Preemption> {
  static constexpr EnumName<Preemption> table[] = {{Preemption::recompute, "recompute"},
                                                   {Preemption::swap, "swap"}};
};

/// The defaults are vLLM's rules.
struct SchedulerOptions {
  std::uint32_t max_num_batched_tokens = 8192;  // in one step
  std::uint32_t max_num_seqs = 256;             // running at a time, each candidate of a beam one
  bool chunked_prefill = true;  // false: a prompt that does not fit into a step waits for the next
  SchedulingPolicy policy = SchedulingPolicy::fcfs;
  Requeue requeue = Requeue::front;  // V21
  /// Swap needs one step in flight and a memory manager that can (CacheManager::swaps).
  Preemption preemption = Preemption::recompute;
  /// Room on the host. A request that finds too little of it is computed again.
  std::uint32_t swap_blocks = 0;
  /// Nothing: as the policy has it (V20), the newest or the one with the lowest priority.
  std::optional<Victim> victim;
  /// A step either computes prompts or decodes, and prompts go first (SGLang); false: it does both,
  /// what runs goes first.
  bool prompts_apart = false;
  /// A part of a prompt after which more of it is left has a multiple of so many tokens.
  std::uint32_t chunk_unit = 1;
  /// V20: when a request gives way that the pass over the running ones has left behind, the pass
  /// keeps its place. False is an ablation: the list moves up beneath it, and the request that came
  /// next is passed over in this step.
  bool pass_keeps_place = true;
  /// V19 says no. True is an ablation: requests are admitted in a step that preempted others.
  bool admit_after_preemption = false;
  // Two more matter with two steps in flight only (spec rtx4090_run §2); the other choice is an
  // ablation.
  /// A preempted request keeps the token that the step in flight will yield; false: it computes
  /// that token again.
  bool keep_in_flight_token = true;
  /// A request whose last token is in flight runs once more, in vain, until that token is read.
  bool run_past_end = false;
};

/// One step of the engine: what the model computes at once.
struct Step {
  std::uint64_t index = 0;
  std::vector<ScheduledTokens> scheduled;
  std::vector<SequenceId> preempted;  // while it was composed
  std::uint32_t swapped_blocks = 0;   // of preempted requests, to the host or back before it runs
  std::vector<SequenceId> finished;  // when it was completed, in the order in which they were freed
};

/// Continuous batching as vLLM v1 does it (spec engines V13–V23): running requests first, then
/// waiting ones while blocks, budget and seats last; preemption. SchedulerOptions
/// and the memory manager say what other engines do otherwise.
///
/// A step is composed, runs, and is completed when its output is read. With one step in flight
/// (synchronous scheduling) each is completed before the next is composed. With two (spec
/// rtx4090_run §2), the next is composed before the output of the present one is known: a request
/// whose last token is in flight is passed over and keeps its blocks until then; a token in flight
/// survives a preemption. SchedulerOptions says what else could be.
///
/// A request in beam search (Request::width) is scheduled, preempted and admitted again as a whole
/// (PagedAttention, section 4.5). It takes as many seats as it will have candidates from its
/// admission on, as vLLM v0 counted, and every candidate's tokens count in the budget.
class Scheduler {
 public:
  Scheduler(const SchedulerOptions& options, CacheManager& cache, Observer& observer);

  /// The request joins the waiting queue. Ids are dense, in the order of joining.
  void add(Request request);
  /// Puts the next step together, which is empty if nothing can run now.
  void compose(Step& step);
  /// The output of a step is there. Steps are completed in the order of composing.
  void complete(Step& step);

  /// Between two steps: a running request gives its blocks up, as if they had lacked while the next
  /// step was composed.
  void preempt(SequenceId id);

  /// Requests that wait or run.
  std::uint32_t unfinished() const {
    return static_cast<std::uint32_t>(waiting_.size() + running_.size());
  }
  /// Asked before a running request is preempted for want of blocks: true if it freed some.
  void set_relief(std::function<bool()> relief) { relief_ = std::move(relief); }

  /// A request that waits or runs.
  const Request& request(SequenceId id) const { return entries_[id.value()]->request; }
  bool is_running(SequenceId id) const {
    return entries_[id.value()] && entries_[id.value()]->running;
  }
  /// Tokens of a request when it is complete.
  std::uint32_t final_length(SequenceId id) const {
    const Request& request = entries_[id.value()]->request;
    return request.prompt_tokens + request.output_tokens;
  }
  /// Tokens of a request that composed steps will compute: no keys and values yet, but mostly
  /// slots.
  std::uint32_t tokens_in_flight(SequenceId id) const {
    return entries_[id.value()]->tokens_in_flight;
  }
  /// Of these, tokens that have slots.
  std::uint32_t slots_in_flight(SequenceId id) const {
    const Entry& entry = *entries_[id.value()];
    const std::uint32_t without = cache_.tokens_without_slot(entry.request);
    return entry.tokens_in_flight - std::min(entry.tokens_in_flight, without);
  }
  /// Tokens of a running request with keys and values, evicted ones included.
  std::uint32_t tokens_computed(SequenceId id) const {
    const Entry& entry = *entries_[id.value()];
    return entry.computed - entry.tokens_in_flight;
  }
  /// Whether a running request lacks at most its last token: its prompt has keys and values.
  bool prompt_computed(SequenceId id) const {
    const Entry& entry = *entries_[id.value()];
    return entry.computed - entry.tokens_in_flight + 1 >= entry.known();
  }
  /// Requests that could never run.
  std::uint64_t rejected() const { return rejected_; }
  /// How often a waiting or running request was preempted since its last output token; 0 for one
  /// that is gone.
  std::uint32_t fruitless_preemptions(SequenceId id) const {
    const auto& entry = entries_[id.value()];
    return entry ? entry->fruitless_preemptions : 0;
  }
  bool idle() const { return running_.empty() && waiting_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }
  /// The running list, oldest admission first.
  std::vector<SequenceId> running_requests() const;

 private:
  struct Entry {
    Request request;
    std::uint32_t generated = 0;         // output tokens that are known
    std::uint32_t in_flight = 0;         // output tokens that composed steps will yield
    std::uint32_t computed = 0;          // tokens in the cache, those of composed steps included
    std::uint32_t tokens_in_flight = 0;  // of `computed`: by steps that are not completed
    std::uint32_t high_water = 0;        // the most that `computed` ever was
    std::uint32_t fruitless_preemptions = 0;
    std::uint64_t outputs_from = 0;  // what earlier steps yield is dropped
    bool running = false;
    bool prefilling = false;        // no step was composed yet that ends its prompt
    bool preempted = false;         // ever
    std::uint32_t host_blocks = 0;  // while it is swapped out; its `computed` tokens lie there
    std::uint32_t known() const { return request.prompt_tokens + generated; }
    std::uint32_t to_run() const { return known() + in_flight - computed; }
    /// All output tokens are known or in flight: nothing is left to compute.
    bool exhausted() const { return generated + in_flight >= request.output_tokens; }
  };

  enum class Part { all, prompts, decodes };
  void schedule_running(Step& step, Part part);
  void schedule_waiting(Step& step);
  void order_waiting();
  std::uint32_t look_up(const Entry& entry);
  void schedule(Step& step, Entry& entry, std::uint32_t tokens);
  /// Makes room for tokens of a running request by preempting others; false if it went itself.
  bool make_room(Step& step, Entry& entry, std::uint32_t tokens);
  Entry* victim() const;
  void preempt(Step& step, Entry& entry);
  void take_back(Step& step, Entry& entry);
  /// Copies a request that gives way to the host; false if it has to be computed again.
  bool swap_out(Step& step, Entry& entry);
  void swapped_in(Step& step, Entry& entry);
  void leave_host(Entry& entry);
  void join_waiting(Entry& entry, bool at_front);
  void leave_waiting(const Entry& entry);
  /// Of `left` tokens behind `from`, those that the budget lets this step take.
  std::uint32_t affordable(const Entry& entry, std::uint32_t from, std::uint32_t left) const {
    if (entry.request.width > 1) return affordable_beam(entry, from, left);
    return left <= budget_ ? left : budget_ - budget_ % options_.chunk_unit;
  }
  std::uint32_t affordable_beam(const Entry& entry, std::uint32_t from, std::uint32_t left) const;
  /// What `count` tokens behind `from` take of the budget: candidates each compute their own.
  std::uint64_t work(const Entry& entry, std::uint32_t from, std::uint32_t count) const;
  void reject(Entry& entry);
  void leave_running(const Entry& entry);
  /// Whether a step's output for the request is of use: the request is there, and waits for it.
  bool takes_output(SequenceId id, std::uint64_t step) const {
    const auto& entry = entries_[id.value()];
    return entry && step >= entry->outputs_from;
  }

  SchedulerOptions options_;
  CacheManager& cache_;
  WaitingOrder* waiting_order_;  // the memory manager's, or null
  Observer& observer_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by id; null once finished
  std::deque<Entry*> waiting_;
  std::vector<Entry*> running_;
  std::size_t next_running_ = 0;  // while composing: running requests before it had their turn
  std::uint32_t budget_ = 0;
  std::uint32_t seats_ = 0;        // taken by running requests
  std::uint32_t host_blocks_ = 0;  // in use
  std::uint64_t steps_ = 0, rejected_ = 0;
  std::vector<SequenceId> produced_;
  std::vector<SequenceId> preempted_between_;  // since the last step was composed
  std::function<bool()> relief_;
};

}  // namespace vacancy
