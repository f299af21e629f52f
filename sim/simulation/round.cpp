// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/round.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/reclaim/carry_out.hpp"
#include "sim/simulation/quality.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

bool shares_blocks(const CachedSequence& sequence, const BlockPool& pool) {
  return std::ranges::any_of(sequence.tables, [&](const BlockTable& table) {
    return std::ranges::any_of(table.entries(), [&](BlockId block) {
      return block != null_block && pool.references(block) > 1;
    });
  });
}

}  // namespace

RoundRunner::RoundRunner(const RoundConfig& config, KvCache& cache, Observer& observer)
    : config_(config), cache_(cache), observer_(observer), needs_(config.policy->needs()) {
  plan_.tables.resize(config.cache.layout.tables());
  reclaim_changed();
}

void RoundRunner::reclaim_changed() {
  evictor_.emplace(*config_.policy, config_.eviction, config_.cache.layout,
                   config_.cache.block_size);
}

std::optional<Bytes> RoundRunner::reclaim(SequenceId id, const Reclaimer& reclaimer) {
  const auto place = cache_.sequences().find(id);
  if (place == cache_.sequences().end() || place->second.rounds == 0) return std::nullopt;
  cache_.settle(id);
  plan_.clear();
  reclaimer.plan(place->second, cache_.pool(), plan_);
  if (plan_.refused || plan_.blocks_taken() > cache_.pool().available()) return std::nullopt;
  const KvCache::Reclaimed reclaimed = cache_.reclaim(id, plan_);
  return reclaimed.bytes_moved + reclaimed.bytes_copied;
}

std::uint32_t RoundRunner::length(const CachedSequence& sequence) const {
  std::optional<std::uint32_t> grown;
  if (sequence.rounds > 0) grown = sequence.next_position - sequence.round_position;
  return evictor_->length(sequence.live, sequence.prompt_tokens, grown);
}

RoundRunner::Open& RoundRunner::open(const CachedSequence& sequence, std::uint32_t computed,
                                     std::uint32_t final_length) {
  Open& open = open_[sequence.id];
  if (!config_.attention) return open;
  if (!open.attention) {
    open.attention = config_.attention->open(sequence.id);
    open.state = config_.policy->open_state(config_.attention->shape(), sequence.prompt_tokens);
  }
  const std::uint32_t ahead =
      std::min(needs_.queries_ahead, final_length - std::min(computed, final_length));
  open.attention->advance(computed + ahead);
  if (open.state) {
    open.state->look_ahead(computed + ahead);
    open.state->advance(*open.attention, computed);
  }
  return open;
}

LiveTokens RoundRunner::live_tokens(const CachedSequence& sequence, std::uint32_t set) {
  const auto place = config_.cache.layout.first_place(set);
  const BlockTable& table = sequence.tables[place.table];
  if (table.packed(place.set)) {
    if (all_slots_.size() < table.length()) {
      all_slots_.resize(table.length());
      std::iota(all_slots_.begin(), all_slots_.end(), 0u);
    }
    const std::span<const std::uint32_t> slots = std::span(all_slots_).first(table.length());
    const auto tokens = table.slot_tokens(place.set);
    return {tokens.empty() ? slots : tokens, slots};
  }
  tokens_.clear();
  slots_.clear();
  tokens_.reserve(table.live_count(place.set));
  slots_.reserve(table.live_count(place.set));
  const auto list = [&](std::uint32_t slot, std::uint32_t token) {
    slots_.push_back(slot);
    tokens_.push_back(token);
  };
  if (table.ordered()) {
    table.for_each_live(place.set, list);
  } else {
    table.list_live(place.set, live_slots_);
    for (const auto& [token, slot] : live_slots_)
      list(slot, token);
  }
  return {tokens_, slots_};
}

std::optional<SkipCause> RoundRunner::plan_ahead(const CachedSequence& sequence,
                                                 const std::function<bool()>& make_room) {
  cache_.preview(sequence.id, keep_, after_);
  const bool may_preempt = config_.reclaimer->when_full() == WhenFull::preempt && make_room;
  for (;;) {
    plan_.clear();
    config_.reclaimer->plan(after_, cache_.pool(), plan_);
    if (plan_.refused) return SkipCause::shared_blocks;
    if (plan_.blocks_taken() <= cache_.pool().available()) return std::nullopt;
    // Who gives way may be one of those who share.
    if (!may_preempt || !make_room()) return SkipCause::pool_full;
  }
}

RoundRunner::Result RoundRunner::run(SequenceId id, std::uint32_t final_length,
                                     std::uint32_t in_flight,
                                     const std::function<bool()>& make_room) {
  const CachedSequence& sequence = cache_.sequence(id);
  const std::uint32_t round = sequence.rounds, computed = sequence.next_position - in_flight;
  EvictionRequest request{id, round, sequence.next_position, sequence.prompt_tokens, in_flight};
  VACANCY_ASSERT(!own_trajectory() || in_flight == 0, "all tokens of the sequence are computed");
  if (needs_.any() || own_trajectory()) {
    Open& opened = open(sequence, computed, final_length);
    if (needs_.features.rereading) opened.attention->reread(computed);
    request.attention = opened.attention.get();
    request.state = opened.state.get();
  }
  cache_.settle(id);
  const bool chosen = evictor_->decide(
      request, [&](std::uint32_t set) { return live_tokens(sequence, set); }, keep_);
  const bool ahead = config_.reclaimer->may_decline() && shares_blocks(sequence, cache_.pool());
  std::optional<SkipCause> skipped;
  if (!chosen)
    skipped = SkipCause::nothing_to_choose;
  else if (ahead)
    skipped = plan_ahead(sequence, make_room);
  if (skipped) {
    observer_.on_event(RoundSkipped{id, *skipped});
    return {skipped, Bytes()};
  }
  observer_.on_event(RoundStarted{id, round});
  const Evictor::Damage& damage = evictor_->damage();
  if (damage.orphaned > 0)
    observer_.on_event(FaultDamage{EvictionFault::reclaim_orphan, id, damage.orphaned});
  if (damage.pinned > 0)
    observer_.on_event(FaultDamage{EvictionFault::prefill_guard, id, damage.pinned});
  KvCache::Reclaimed reclaimed;
  if (ahead) {
    cache_.evict(id, keep_);
    reclaimed = cache_.reclaim(id, plan_);
  } else {
    reclaimed = carry_out(cache_, id, keep_, *config_.reclaimer, plan_);
  }
  if (own_trajectory()) decode_on(sequence);
  if (config_.attention && config_.quality_queries > 0)
    measure(sequence, round, final_length, computed);
  return {std::nullopt, reclaimed.bytes_moved + reclaimed.bytes_copied};
}

void RoundRunner::decode_on(const CachedSequence& sequence) {
  SequenceAttention& attention = *open_.at(sequence.id).attention;
  const CacheLayout& layout = config_.cache.layout;
  for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
    const LiveTokens live = live_tokens(sequence, set);
    const HeadRange heads = layout.heads(set);
    for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
      for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
        attention.retain(layer, head, sequence.next_position, live.tokens);
  }
}

void RoundRunner::measure(const CachedSequence& sequence, std::uint32_t round, std::uint32_t end,
                          std::uint32_t computed) {
  const std::uint32_t next = sequence.next_position;
  // The queries that come next; the last one so far where none comes (contract §3).
  std::uint32_t first = next,
                last = next + std::min(end - std::min(end, next), config_.quality_queries);
  const bool ended = first >= last;
  if (ended) {
    if (next == 0) return;
    first = next - 1;
    last = next;
  }
  Open& opened = open(sequence, computed, end);
  opened.attention->advance(last);
  EvictionRound left;
  left.sequence = sequence.id;
  left.number = round;
  left.next_position = next;
  left.prompt_tokens = sequence.prompt_tokens;
  left.block_size = config_.cache.block_size;
  left.layout = &config_.cache.layout;
  left.attention = opened.attention.get();
  const auto reader_of = [&](std::uint32_t layer, std::uint32_t head) {
    left.set = left.layout->policy_set_of(layer, head);
    const LiveTokens live = live_tokens(sequence, left.set);
    left.live = live.tokens;
    left.slots = live.slots;
    return config_.policy->open_reader(left, layer, head);
  };
  const Quality quality = measure_quality(*opened.attention, config_.attention->features(),
                                          sequence, config_.cache.layout, first, last, reader_of);
  double agreement = std::numeric_limits<double>::quiet_NaN();
  if (own_trajectory() && !ended)
    agreement = double(opened.attention->same_next_tokens(first, last)) / (last - first);
  observer_.on_event(QualityMeasured{sequence.id, round, quality.retained_attention_mass,
                                     quality.attention_output_error, agreement});
}

}  // namespace vacancy
