// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/serving_rounds.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

ServingRounds::ServingRounds(const RoundConfig& config, KvCache& cache, Observer& observer)
    : config_(config), cache_(cache), observer_(observer), rounds_(config, cache, observer) {}

bool ServingRounds::run(SequenceId id, const Scheduler& scheduler,
                        const std::function<bool()>& make_room) {
  const CachedSequence& sequence = cache_.sequence(id);
  const std::uint32_t length = sequence.next_position;
  const auto rest = rest_until_.find(id.value());
  if (rest != rest_until_.end() && length < rest->second) return false;
  const std::uint32_t next = length + std::max(config_.eviction.interval, 1u);
  if (off_) {
    observer_.on_event(FaultDamage{EvictionFault::silent_off, id, 1});
    rest_until_[id.value()] = next;
    return false;
  }
  const auto remembered = remembered_.find(id.value());
  if (remembered != remembered_.end() && remembered->second.lost) {
    compact_lost_blocks(sequence);
    rest_until_[id.value()] = next;
    return false;
  }
  postponed_.erase(id.value());
  const std::uint32_t cached = sequence.live;
  const RoundRunner::Result round =
      rounds_.run(id, scheduler.final_length(id), scheduler.slots_in_flight(id), make_room);
  if (round.skipped) {
    off_ = has(EvictionFault::silent_off);
    rest_until_[id.value()] = next;
    if (round.skipped == SkipCause::pool_full) postponed_.insert(id.value());
    return false;
  }
  ++moved_.rounds;
  moved_.chosen_from += cached;
  note_moved(sequence, round.bytes_moved);
  return true;
}

void ServingRounds::note_moved(const CachedSequence& sequence, Bytes bytes) {
  if (bytes.value() > 0) moved_.requests.push_back(sequence.id);
  moved_.bytes += bytes;
  if (has(EvictionFault::stale_after_preemption)) {
    const auto blocks = sequence.tables.front().entries();
    remembered_[sequence.id.value()].blocks.assign(blocks.begin(), blocks.end());
  }
}

bool ServingRounds::reclaim(SequenceId id, const Reclaimer& reclaimer) {
  const auto moved = rounds_.reclaim(id, reclaimer);
  if (moved) note_moved(cache_.sequence(id), *moved);
  return moved.has_value();
}

/// The compaction reads and writes the blocks that its state names; the request's own stay as they
/// are.
void ServingRounds::compact_lost_blocks(const CachedSequence& sequence) {
  const auto own = sequence.tables.front().entries();
  const auto remembered = remembered_.extract(sequence.id.value());
  const std::vector<BlockId>& blocks = remembered.mapped().blocks;
  const auto foreign = std::count_if(blocks.begin(), blocks.end(), [&](BlockId block) {
    return std::find(own.begin(), own.end(), block) == own.end();
  });
  observer_.on_event(FaultDamage{EvictionFault::stale_after_preemption, sequence.id,
                                 static_cast<std::uint32_t>(foreign)});
  moved_.bytes += Bytes(2 * blocks.size() * config_.cache.block_bytes.value());
}

void ServingRounds::run_between_steps(SequenceId id, Scheduler& scheduler) {
  run(id, scheduler, [&] {
    const std::vector<SequenceId> running = scheduler.running_requests();
    const auto fresh = std::find_if(running.rbegin(), running.rend(), [&](SequenceId other) {
      return other != id && cache_.sequence(other).rounds == 0;
    });
    if (fresh == running.rend()) return false;
    scheduler.preempt(*fresh);
    return true;
  });
}

bool ServingRounds::is_due(const Growth& growth, SequenceId id) const {
  return rounds_.evictor().length_due(growth) ||
         (postponed_.count(id.value()) > 0 &&
          rounds_.evictor().can_evict(growth.live, growth.prompt_tokens));
}

void ServingRounds::after_step(const Step& step, Scheduler& scheduler) {
  for (const ScheduledTokens& part : step.scheduled) {
    const SequenceId id = part.sequence;
    if (!part.produces || !scheduler.is_running(id) || !scheduler.prompt_computed(id)) continue;
    const CachedSequence& sequence = cache_.sequence(id);
    const std::uint32_t computed = scheduler.tokens_computed(id);
    const Growth growth{computed - part.tokens, computed, sequence.prompt_tokens,
                        rounds_.length(sequence), false};
    if (is_due(growth, id))
      run_between_steps(id, scheduler);
    else if (has(EvictionFault::silent_off) && rounds_.evictor().length_fires(growth))
      off_ = true;
  }
  under_pressure(scheduler);
}

void ServingRounds::under_pressure(Scheduler& scheduler) {
  const EvictorOptions& options = config_.eviction;
  const BlockPool& pool = cache_.pool();
  if (options.trigger != TriggerKind::usage || !pool.capacity()) return;
  const auto usage = [&] { return double(pool.held()) / double(*pool.capacity()); };
  if (usage() >= options.usage_arm) usage_armed_ = true;
  for (const SequenceId id : scheduler.running_requests()) {
    if (usage() <= options.usage_release) usage_armed_ = false;
    if (!usage_armed_) return;
    if (!scheduler.is_running(id) || !scheduler.prompt_computed(id)) continue;
    const CachedSequence& sequence = cache_.sequence(id);
    if (rounds_.can_evict(sequence))
      run_between_steps(id, scheduler);
    else
      off_ |= has(EvictionFault::silent_off);
  }
}

bool ServingRounds::relieve(const Scheduler& scheduler) {
  if (config_.eviction.trigger != TriggerKind::allocation_failure) return false;
  // The longest first, ties to the one that runs longest (ours).
  std::vector<std::pair<std::uint32_t, SequenceId>> candidates;
  for (const SequenceId id : scheduler.running_requests()) {
    const CachedSequence& sequence = cache_.sequence(id);
    if (scheduler.prompt_computed(id) && rounds_.can_evict(sequence))
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
  postponed_.erase(id.value());
  remembered_.erase(id.value());
}

void ServingRounds::preempted(SequenceId id) {
  rounds_.close(id);
  rest_until_.erase(id.value());
  postponed_.erase(id.value());
  const auto remembered = remembered_.find(id.value());
  if (remembered != remembered_.end()) remembered->second.lost = true;
}

ServingRounds::Moved ServingRounds::take_moved() {
  return std::exchange(moved_, Moved());
}

}  // namespace vacancy
