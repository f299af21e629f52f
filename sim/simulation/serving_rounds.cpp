// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/serving_rounds.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

ServingRounds::ServingRounds(const RoundConfig& config, KvCache& cache, Observer& observer)
    : config_(config), cache_(cache), rounds_(config, cache, observer) {}

bool ServingRounds::run(SequenceId id, const Scheduler& scheduler) {
  const std::uint32_t length = cache_.sequence(id).next_position;
  const auto rest = rest_until_.find(id.value());
  if (rest != rest_until_.end() && length < rest->second) return false;
  const auto moved = rounds_.run(id, scheduler.final_length(id), scheduler.tokens_in_flight(id));
  if (!moved) {
    rest_until_[id.value()] = length + std::max(config_.eviction.interval, 1u);
    return false;
  }
  moved_ += *moved;
  return true;
}

Bytes ServingRounds::after_step(const Step& step, const Scheduler& scheduler) {
  for (const ScheduledTokens& part : step.scheduled) {
    if (!part.produces || !scheduler.is_running(part.sequence)) continue;
    const CachedSequence& sequence = cache_.sequence(part.sequence);
    const Growth growth{sequence.next_position - part.tokens, sequence.next_position,
                        sequence.prompt_tokens, sequence.live, false};
    if (rounds_.evictor().length_due(growth)) run(part.sequence, scheduler);
  }
  under_pressure(scheduler);
  return take_moved();
}

void ServingRounds::under_pressure(const Scheduler& scheduler) {
  const EvictorOptions& options = config_.eviction;
  const BlockPool& pool = cache_.pool();
  if (options.trigger != TriggerKind::usage || !pool.capacity()) return;
  const auto usage = [&] { return double(pool.held()) / double(*pool.capacity()); };
  if (usage() >= options.usage_arm) usage_armed_ = true;
  for (const SequenceId id : scheduler.running_requests()) {
    if (usage() <= options.usage_release) usage_armed_ = false;
    if (!usage_armed_) return;
    const CachedSequence& sequence = cache_.sequence(id);
    if (scheduler.prompt_computed(id) &&
        rounds_.evictor().can_evict(sequence.live, sequence.prompt_tokens))
      run(id, scheduler);
  }
}

bool ServingRounds::relieve(const Scheduler& scheduler) {
  if (config_.eviction.trigger != TriggerKind::allocation_failure) return false;
  // The longest first, ties to the one that runs longest (ours).
  std::vector<std::pair<std::uint32_t, SequenceId>> candidates;
  for (const SequenceId id : scheduler.running_requests()) {
    const CachedSequence& sequence = cache_.sequence(id);
    if (scheduler.prompt_computed(id) &&
        rounds_.evictor().can_evict(sequence.live, sequence.prompt_tokens))
      candidates.emplace_back(sequence.live, id);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::uint32_t held = cache_.pool().held();
  for (const auto& candidate : candidates) {
    run(candidate.second, scheduler);
    if (cache_.pool().held() < held) return true;
  }
  return false;
}

void ServingRounds::close(SequenceId id) {
  rounds_.close(id);
  rest_until_.erase(id.value());
}

Bytes ServingRounds::take_moved() {
  return std::exchange(moved_, Bytes());
}

}  // namespace vacancy
