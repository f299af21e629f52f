// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/scheduler.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/prefix/radix/scheduling.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

Scheduler::Scheduler(const SchedulerOptions& options, CacheManager& cache, Observer& observer)
    : options_(options), cache_(cache), waiting_order_(cache.waiting_order()), observer_(observer) {
  VACANCY_ASSERT(options_.preemption == Preemption::recompute || cache_.swaps(),
                 "the memory manager swaps");
  if (!options_.victim)
    options_.victim =
        options_.policy == SchedulingPolicy::priority ? Victim::lowest_priority : Victim::newest;
}

std::vector<SequenceId> Scheduler::running_requests() const {
  std::vector<SequenceId> ids;
  for (const Entry* entry : running_)
    ids.push_back(entry->request.id);
  return ids;
}

void Scheduler::add(Request request) {
  VACANCY_ASSERT(request.id.value() == entries_.size(), "requests join in the order of their ids");
  entries_.push_back(std::make_unique<Entry>());
  Entry& fresh = *entries_.back();
  fresh.request = std::move(request);
  join_waiting(fresh, false);
  observer_.on_event(RequestQueued{fresh.request.id, fresh.request.arrival,
                                   fresh.request.prompt_tokens, fresh.request.output_tokens});
}

namespace {

/// Lower runs earlier.
std::tuple<std::int32_t, SimTime, std::uint32_t> rank(const Request& request) {
  return {request.priority, request.arrival, request.id.value()};
}

}  // namespace

void Scheduler::join_waiting(Entry& entry, bool at_front) {
  if (options_.policy == SchedulingPolicy::priority) {
    const auto place = std::find_if(waiting_.begin(), waiting_.end(), [&](const Entry* other) {
      return rank(entry.request) < rank(other->request);
    });
    waiting_.insert(place, &entry);
  } else if (at_front) {
    waiting_.push_front(&entry);
  } else {
    waiting_.push_back(&entry);
  }
}

void Scheduler::leave_waiting(const Entry& entry) {
  if (waiting_.front() == &entry)
    waiting_.pop_front();
  else
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &entry));
}

void Scheduler::compose(Step& step) {
  step.index = steps_++;
  step.scheduled.clear();
  step.preempted.clear();
  step.preempted.swap(preempted_between_);
  step.finished.clear();
  step.swapped_blocks = 0;
  budget_ = options_.max_num_batched_tokens;
  cache_.begin_step();
  schedule_running(step, options_.prompts_apart ? Part::prompts : Part::all);
  if (step.preempted.empty() || options_.admit_after_preemption) schedule_waiting(step);
  if (options_.prompts_apart && step.scheduled.empty()) schedule_running(step, Part::decodes);
  for (ScheduledTokens& part : step.scheduled)  // relief may have evicted from those scheduled
    part.context = cache_.context(entries_[part.sequence.value()]->request) - part.tokens;
  observer_.on_event(StepComposed{step.index, step.scheduled,
                                  static_cast<std::uint32_t>(waiting_.size()),
                                  static_cast<std::uint32_t>(running_.size())});
}

void Scheduler::schedule_running(Step& step, Part part) {
  for (next_running_ = 0; next_running_ < running_.size() && budget_ > 0;) {
    Entry& entry = *running_[next_running_];
    const bool has_turn = part == Part::all || (part == Part::prompts) == entry.prefilling;
    const bool passed_over = !has_turn || (entry.exhausted() && !options_.run_past_end);
    const std::uint32_t tokens =
        passed_over ? 0 : affordable(entry, entry.computed, entry.to_run());
    if (tokens > 0) {
      if (!make_room(step, entry, tokens)) return;
      schedule(step, entry, tokens);
    }
    ++next_running_;
  }
}

bool Scheduler::make_room(Step& step, Entry& entry, std::uint32_t tokens) {
  while (!cache_.extend(entry.request, entry.computed, tokens, entry.known())) {
    if (relief_ && relief_()) continue;
    if (running_.size() == 1) {  // nobody is left to give way
      reject(entry);
      return false;
    }
    Entry& loser = *victim();
    preempt(step, loser);
    if (&loser == &entry) return false;
  }
  return true;
}

Scheduler::Entry* Scheduler::victim() const {
  if (options_.victim == Victim::newest) return running_.back();
  if (options_.victim == Victim::oldest) return running_.front();
  if (options_.victim == Victim::least_output) {
    std::vector<RunningLengths> lengths;
    for (const Entry* entry : running_)
      lengths.push_back({entry->request.prompt_tokens, entry->generated});
    return running_[retraction_order(lengths).front()];
  }
  return *std::max_element(running_.begin(), running_.end(), [](const Entry* a, const Entry* b) {
    return rank(a->request) < rank(b->request);
  });
}

void Scheduler::preempt(SequenceId id) {
  VACANCY_ASSERT(options_.preemption == Preemption::recompute, "nothing is copied between steps");
  Step next;
  next.index = steps_;
  preempt(next, *entries_[id.value()]);
  preempted_between_.push_back(id);
}

void Scheduler::preempt(Step& step, Entry& entry) {
  take_back(step, entry);
  leave_running(entry);
  if (!swap_out(step, entry)) {
    cache_.preempt(entry.request);
    entry.computed = 0;
  }
  entry.running = false;
  entry.preempted = true;
  ++entry.fruitless_preemptions;
  if (!options_.keep_in_flight_token) {
    entry.in_flight = 0;
    entry.outputs_from = step.index;
  }
  join_waiting(entry, options_.requeue == Requeue::front);
  step.preempted.push_back(entry.request.id);
}

bool Scheduler::swap_out(Step& step, Entry& entry) {
  if (options_.preemption != Preemption::swap || entry.computed == 0) return false;
  const std::uint32_t blocks = cache_.stored_blocks(entry.request, entry.computed);
  if (blocks > options_.swap_blocks - host_blocks_) return false;
  entry.host_blocks = blocks;
  host_blocks_ += blocks;
  step.swapped_blocks += blocks;
  observer_.on_event(SequenceSwappedOut{entry.request.id, blocks, entry.computed});
  cache_.preempt(entry.request);
  return true;
}

void Scheduler::swapped_in(Step& step, Entry& entry) {
  step.swapped_blocks += entry.host_blocks;
  observer_.on_event(SequenceSwappedIn{entry.request.id, entry.host_blocks});
  leave_host(entry);
}

void Scheduler::leave_host(Entry& entry) {
  host_blocks_ -= entry.host_blocks;
  entry.host_blocks = 0;
}

void Scheduler::take_back(Step& step, Entry& entry) {
  const auto place =
      std::find_if(step.scheduled.rbegin(), step.scheduled.rend(),
                   [&](const ScheduledTokens& part) { return part.sequence == entry.request.id; });
  if (place == step.scheduled.rend()) return;
  const auto end = place.base();
  auto first = std::prev(end);  // of its candidates, which lie in a row
  while (first->candidate > 0)
    --first;
  for (auto part = first; part != end; ++part)
    budget_ += part->tokens;
  entry.computed -= first->tokens;
  entry.in_flight -= first->produces;
  entry.tokens_in_flight -= first->tokens;
  entry.high_water -= first->tokens - first->recomputed;
  step.scheduled.erase(first, end);
}

void Scheduler::leave_running(const Entry& entry) {
  // Victims are mostly last.
  const auto place = std::find(running_.rbegin(), running_.rend(), &entry);
  const auto index = static_cast<std::size_t>(std::next(place).base() - running_.begin());
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
  if (index < next_running_ && options_.pass_keeps_place) --next_running_;
  seats_ -= entry.request.width;
}

std::uint64_t Scheduler::work(const Entry& entry, std::uint32_t from, std::uint32_t count) const {
  std::uint64_t tokens = count;
  if (entry.request.width == 1) return tokens;
  for (const std::uint32_t start : cache_.candidate_starts(entry.request).subspan(1))
    tokens += from + count - std::clamp(start, from, from + count);
  return tokens;
}

std::uint32_t Scheduler::affordable_beam(const Entry& entry, std::uint32_t from,
                                         std::uint32_t left) const {
  std::uint32_t fits = 0;
  for (std::uint32_t beyond = left + 1; beyond - fits > 1;) {
    const std::uint32_t middle = fits + (beyond - fits) / 2;
    (work(entry, from, middle) <= budget_ ? fits : beyond) = middle;
  }
  return fits;
}

void Scheduler::schedule(Step& step, Entry& entry, std::uint32_t tokens) {
  const std::uint32_t before = entry.computed;
  entry.computed += tokens;
  entry.tokens_in_flight += tokens;
  const bool produces = entry.computed >= entry.known() + entry.in_flight;
  if (produces) {
    ++entry.in_flight;
    entry.prefilling = false;
  }
  const std::uint32_t lost = std::min(entry.computed, entry.high_water);
  const auto add = [&](std::uint32_t candidate, std::uint32_t from) {
    const std::uint32_t own = entry.computed - from;
    step.scheduled.push_back(
        {entry.request.id, from, own, lost > from ? lost - from : 0, produces, candidate});
    budget_ -= std::min(own, budget_);
  };
  add(0, before);
  if (entry.request.width > 1) {
    const auto starts = cache_.candidate_starts(entry.request);
    for (std::uint32_t candidate = 1; candidate < starts.size(); ++candidate)
      if (starts[candidate] < entry.computed) add(candidate, std::max(before, starts[candidate]));
  }
  entry.high_water = std::max(entry.high_water, entry.computed);
}

std::uint32_t Scheduler::look_up(const Entry& entry) {
  const std::uint32_t hit = cache_.lookup(entry.request, entry.known());
  observer_.on_event(PrefixLookedUp{entry.request.id, entry.known(), hit});
  return hit;
}

void Scheduler::order_waiting() {
  std::vector<WaitingRequest> waiting;
  waiting.reserve(waiting_.size());
  for (const Entry* entry : waiting_)
    waiting.push_back({&entry->request, entry->known()});
  std::deque<Entry*> ordered;
  for (const std::uint32_t index : waiting_order_->order(waiting))
    ordered.push_back(waiting_[index]);
  VACANCY_ASSERT(ordered.size() == waiting_.size(), "nobody is left out of the queue");
  waiting_.swap(ordered);
}

void Scheduler::schedule_waiting(Step& step) {
  if (budget_ == 0 || running_.size() >= options_.max_num_seqs) return;
  if (waiting_order_ && waiting_.size() > 1 && waiting_order_->applies(waiting_.size()))
    order_waiting();
  std::size_t postponed = 0;  // at the front of the queue
  while (postponed < waiting_.size() && budget_ > 0) {
    Entry& entry = *waiting_[postponed];
    if (seats_ + entry.request.width > options_.max_num_seqs) return;
    if (cache_.postpones(entry.request, entry.known())) {
      ++postponed;
      continue;
    }
    const bool swapped = entry.host_blocks > 0;
    std::uint32_t present = swapped ? entry.computed : look_up(entry);
    const std::uint32_t left = entry.known() - present;
    if (!options_.chunked_prefill && !step.scheduled.empty() &&
        work(entry, present, left) > budget_)
      return;
    const std::uint32_t tokens = options_.chunked_prefill ? affordable(entry, present, left) : left;
    if (tokens == 0) return;
    const bool others_run = !running_.empty();
    const bool admitted =
        swapped ? cache_.admit_swapped(entry.request, entry.known(), present, tokens, others_run)
                : cache_.admit(entry.request, entry.known(), tokens, others_run);
    if (!admitted) {
      if (others_run) return;
      reject(entry);  // alone it would never find more room
      continue;
    }
    if (!swapped) present = cache_.taken(entry.request, present);
    leave_waiting(entry);
    running_.push_back(&entry);
    seats_ += entry.request.width;
    entry.running = entry.prefilling = true;
    entry.computed = present;
    entry.high_water = std::max(entry.high_water, present);
    if (swapped) swapped_in(step, entry);
    observer_.on_event(RequestAdmitted{entry.request.id, entry.known(), swapped ? 0 : present,
                                       entry.preempted, swapped ? present : 0});
    schedule(step, entry, tokens);
  }
}

void Scheduler::complete(Step& step) {
  produced_.clear();
  for (const ScheduledTokens& part : step.scheduled) {
    const auto& entry = entries_[part.sequence.value()];
    if (part.candidate > 0) continue;  // counted with the first
    if (entry) entry->tokens_in_flight -= part.tokens;
    if (part.produces && takes_output(part.sequence, step.index))
      produced_.push_back(part.sequence);
  }
  observer_.on_event(StepCompleted{step.index, produced_});
  for (const SequenceId id : produced_) {
    Entry& entry = *entries_[id.value()];
    ++entry.generated;
    --entry.in_flight;
    entry.fruitless_preemptions = 0;
    if (entry.running) cache_.produced(entry.request, entry.known());
    if (entry.generated < entry.request.output_tokens) continue;
    step.finished.push_back(id);
    observer_.on_event(SequenceCompleted{id});
    if (entry.running) {
      cache_.finish(entry.request);
      seats_ -= entry.request.width;
    } else {
      leave_waiting(entry);
      leave_host(entry);
    }
  }
  if (step.finished.empty()) return;
  std::erase_if(running_, [](const Entry* e) { return e->generated >= e->request.output_tokens; });
  for (const SequenceId id : step.finished)
    entries_[id.value()].reset();
}

void Scheduler::reject(Entry& entry) {
  const SequenceId id = entry.request.id;
  observer_.on_event(RequestRejected{id});
  ++rejected_;
  if (entry.running) {
    cache_.finish(entry.request);
    leave_running(entry);
  } else {
    leave_waiting(entry);
    leave_host(entry);
  }
  entries_[id.value()].reset();
}

}  // namespace vacancy
