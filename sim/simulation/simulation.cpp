// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/simulation.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

Simulation::Simulation(SimulationConfig config, std::vector<Observer*> observers)
    : config_(std::move(config)),
      broadcast_{},
      cache_(config_.cache, broadcast_),
      rounds_(config_, cache_, broadcast_),
      rest_until_(config_.sequences.size(), 0),
      unfinished_(config_.sequences.size()) {
  broadcast_.observers = std::move(observers);
  for (const SequencePlan& plan : config_.sequences)
    tokens_planned_ += std::uint64_t{plan.prompt_tokens} + plan.output_tokens;
}

RunStatus Simulation::step() {
  if (status_ != RunStatus::running) return status_;
  grown_.clear();
  grow_sequences();
  now_ += millisecond;
  broadcast_.on_event(ClockAdvanced{now_});
  if (status_ == RunStatus::running) {
    rounds_after_growth();
    rounds_under_pressure();
    finish_completed();
  }
  return status_;
}

void Simulation::grow_sequences() {
  // Sequences without a prompt start with the next prefill, or with the decoding.
  bool prefilled = false;
  while (next_prefill_ < config_.sequences.size() && !prefilled) {
    prefilled = config_.sequences[next_prefill_].prompt_tokens > 0;
    prefill();
  }
  if (!prefilled) decode();
}

void Simulation::prefill() {
  const SequenceId id(next_prefill_++);
  const SequencePlan& plan = config_.sequences[id.value()];
  cache_.start(id, plan.prompt_tokens);
  running_.push_back(id);
  if (plan.prompt_tokens > 0 || complete(id)) grow(id, plan.prompt_tokens);
}

void Simulation::decode() {
  for (const SequenceId id : running_)
    if (!complete(id) && !grow(id, 1)) return;
}

bool Simulation::grow(SequenceId id, std::uint32_t count) {
  if (!cache_.append(id, count) && !(make_room(id, count) && cache_.append(id, count))) {
    const CachedSequence& sequence = cache_.sequence(id);
    // Of a prompt that does not fit, the token is the first without a slot.
    std::uint32_t fits = 0;
    for (std::uint32_t low = 1, high = count; low <= high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      const bool ok = cache_.blocks_needed(id, middle) <= cache_.pool().available();
      if (ok) fits = middle;
      (ok ? low : high) = ok ? middle + 1 : middle - 1;
    }
    out_of_memory_ = OutOfMemory{id, sequence.next_position + fits, cache_.blocks_needed(id, count),
                                 cache_.pool().available()};
    broadcast_.on_event(*out_of_memory_);
    status_ = RunStatus::out_of_memory;
    return false;
  }
  tokens_done_ += count;
  grown_.push_back({id, count});
  return true;
}

bool Simulation::make_room(SequenceId id, std::uint32_t count) {
  if (config_.eviction.trigger != TriggerKind::allocation_failure) return false;
  // The longest first, ties to the lowest id (ours); each gives at most one round.
  std::vector<std::pair<std::uint32_t, SequenceId>> candidates;
  for (const SequenceId other : running_) {
    const CachedSequence& sequence = cache_.sequence(other);
    if (rounds_.can_evict(sequence)) candidates.emplace_back(sequence.live, other);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& candidate : candidates) {
    if (cache_.blocks_needed(id, count) <= cache_.pool().available()) break;
    run_round(candidate.second);
  }
  return cache_.blocks_needed(id, count) <= cache_.pool().available();
}

void Simulation::run_round(SequenceId id) {
  const std::uint32_t length = cache_.sequence(id).next_position;
  if (length < rest_until_[id.value()]) return;
  if (rounds_.run(id, final_length(id)).skipped)
    rest_until_[id.value()] = length + std::max(config_.eviction.interval, 1u);
}

void Simulation::rounds_after_growth() {
  for (const auto& [id, count] : grown_) {
    const CachedSequence& sequence = cache_.sequence(id);
    const Growth growth{sequence.next_position - count, sequence.next_position,
                        sequence.prompt_tokens, rounds_.length(sequence), complete(id)};
    if (rounds_.evictor().length_due(growth)) run_round(id);
  }
}

void Simulation::rounds_under_pressure() {
  const EvictorOptions& options = config_.eviction;
  const BlockPool& pool = cache_.pool();
  if (options.trigger != TriggerKind::usage || !pool.capacity()) return;
  const auto usage = [&] { return double(pool.held()) / double(*pool.capacity()); };
  if (usage() >= options.usage_arm) usage_armed_ = true;
  for (const SequenceId id : running_) {
    if (usage() <= options.usage_release) usage_armed_ = false;
    if (!usage_armed_) return;
    const CachedSequence& sequence = cache_.sequence(id);
    if (rounds_.can_evict(sequence)) run_round(id);
  }
}

bool Simulation::reclaim(SequenceId id, const Reclaimer& reclaimer) {
  return rounds_.reclaim(id, reclaimer).has_value();
}

void Simulation::change_reclaim(std::shared_ptr<const Reclaimer> reclaimer,
                                std::optional<BlockAggregate> whole_blocks) {
  config_.change_reclaim(std::move(reclaimer), whole_blocks);
  rounds_.reclaim_changed();
}

std::uint32_t Simulation::final_length(SequenceId id) const {
  const SequencePlan& plan = config_.sequences[id.value()];
  return plan.prompt_tokens + plan.output_tokens;
}

bool Simulation::complete(SequenceId id) const {
  return cache_.sequence(id).next_position == final_length(id);
}

void Simulation::finish_completed() {
  std::erase_if(grown_, [&](const Grown& grown) { return !complete(grown.id); });
  for (const Grown& done : grown_) {
    broadcast_.on_event(SequenceCompleted{done.id});
    running_.erase(std::lower_bound(running_.begin(), running_.end(), done.id));
  }
  unfinished_ -= grown_.size();
  if (unfinished_ == 0) {
    status_ = RunStatus::completed;
    return;
  }
  for (const Grown& done : grown_) {
    cache_.finish(done.id);
    rounds_.close(done.id);
  }
}

}  // namespace vacancy
