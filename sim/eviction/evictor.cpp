// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/evictor.hpp"

#include <algorithm>
#include <limits>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

Evictor::Evictor(const EvictionPolicy& policy, const EvictorOptions& options,
                 const CacheLayout& layout, std::uint32_t block_size)
    : policy_(policy),
      options_(options),
      layout_(layout),
      block_size_(block_size),
      protection_(joined_protection(options, policy)) {
  VACANCY_ASSERT(block_size > 0, "a block has slots");
  VACANCY_ASSERT(
      (options.trigger != TriggerKind::interval && options.trigger != TriggerKind::aligned) ||
          options.interval > 0,
      "an interval trigger has an interval");
}

std::uint32_t Evictor::keep_count(std::uint32_t prompt_tokens) const {
  if (policy_.keep_rule() == KeepRule::all) return std::numeric_limits<std::uint32_t>::max();
  return options_.budget + (options_.prompt == PromptRule::pinned_outside ? prompt_tokens : 0);
}

bool Evictor::can_evict(std::uint32_t live, std::uint32_t prompt_tokens) const {
  if (policy_.keep_rule() == KeepRule::own) return live > 0;
  return live > keep_count(prompt_tokens);
}

bool Evictor::length_due(const Growth& growth) const {
  if (!length_fires(growth)) return false;
  if (options_.trigger == TriggerKind::aligned && policy_.keep_rule() == KeepRule::budget)
    return growth.live >= keep_count(growth.prompt_tokens);
  return can_evict(growth.live, growth.prompt_tokens);
}

bool Evictor::length_fires(const Growth& growth) const {
  const auto reaches = [&](std::uint32_t length) {
    return growth.position_before < length && growth.position_after >= length;
  };
  switch (options_.trigger) {
    case TriggerKind::interval: {
      // Generated tokens cross a multiple of beta; several crossings coalesce into one round.
      const auto intervals = [&](std::uint32_t position) {
        return (position - std::min(position, growth.prompt_tokens)) / options_.interval;
      };
      return intervals(growth.position_before) < intervals(growth.position_after);
    }
    case TriggerKind::aligned:
      return growth.position_before / options_.interval < growth.position_after / options_.interval;
    case TriggerKind::slack: {
      // The effective size leaves out a prompt that does not count in the budget.
      const bool outside = options_.prompt == PromptRule::pinned_outside;
      const std::uint32_t pinned = outside ? std::min(growth.live, growth.prompt_tokens) : 0;
      return growth.live - pinned >= std::uint64_t{options_.budget} + options_.interval;
    }
    case TriggerKind::once:
      switch (options_.once) {
        case OnceAt::length:
          return reaches(options_.once_length);
        case OnceAt::prompt_end:
          return reaches(growth.prompt_tokens);
        case OnceAt::sequence_end:
          return growth.ended;
      }
      return false;
    case TriggerKind::usage:
    case TriggerKind::allocation_failure:
      return false;
  }
  return false;
}

bool Evictor::decide(const EvictionRequest& request,
                     const std::function<LiveTokens(std::uint32_t)>& live_tokens, KeepSets& out) {
  EvictionRound round;
  round.sequence = request.sequence;
  round.number = request.round;
  round.next_position = request.next_position - request.in_flight;
  round.prompt_tokens = request.prompt_tokens;
  round.block_size = block_size_;
  round.layout = &layout_;
  round.attention = request.attention;
  round.state = request.state;
  damage_ = {};

  const std::uint32_t sets = layout_.policy_sets();
  out.reset(sets);
  for (std::uint32_t set = 0; set < sets; ++set) {
    const LiveTokens live = live_tokens(set);
    VACANCY_ASSERT(live.tokens.size() == live.slots.size(), "every live token has a slot");
    round.set = set;
    round.live = live.tokens;
    round.slots = live.slots;
    if (!choose(round, out.begin(set, static_cast<std::uint32_t>(live.tokens.size()))))
      return false;
  }
  return true;
}

/// Chooses one set; false if guarded tokens leave nothing to choose.
bool Evictor::choose(EvictionRound& round, std::span<std::uint64_t> keep) {
  const auto all = static_cast<std::uint32_t>(round.live.size());
  const auto live = static_cast<std::uint32_t>(
      std::lower_bound(round.live.begin(), round.live.end(), round.next_position) -
      round.live.begin());
  const std::uint32_t in_flight = all - live;
  const bool own_rule = policy_.keep_rule() == KeepRule::own;
  const bool orphans = options_.faults.has(EvictionFault::reclaim_orphan) && !own_rule;
  const std::uint32_t room = keep_count(round.prompt_tokens);
  round.keep = own_rule ? live : orphans ? room : room - std::min(room, in_flight);
  if (!own_rule && live <= round.keep) {
    bits::set_range(keep, 0, all);  // a set that is shorter than the one that made the round due
    return true;
  }
  round.live = round.live.first(live);
  round.slots = round.slots.first(live);
  guarded_.assign(bits::words(live), 0);
  const std::uint32_t pinned = options_.prompt == PromptRule::evictable ? 0 : round.prompt_tokens;
  const std::uint32_t guarded =
      guard_tokens(round.live, round.next_position, pinned, protection_, guarded_);
  const std::span<std::uint64_t> computed = keep.first(bits::words(live));
  if (guarded >= round.keep) {
    if (!options_.faults.has(EvictionFault::prefill_guard) || own_rule || round.keep == 0)
      return false;
    keep_first_guarded(round, pinned, computed);
  } else {
    round.guarded = guarded_;
    if (!options_.whole_blocks || own_rule) policy_.select(round, computed, scratch_);
    if (options_.whole_blocks) {
      if (own_rule) {
        round.keep = static_cast<std::uint32_t>(bits::count(computed));
        std::fill(computed.begin(), computed.end(), 0);
      }
      scratch_.scores.resize(live);
      policy_.score(round, scratch_.scores, scratch_);
      keep_best_blocks(round, scratch_.scores, *options_.whole_blocks, computed, scratch_);
    }
  }
  // E-31: compaction that knows of `room` tokens frees the blocks behind them, whoever is in there.
  const std::uint32_t behind =
      orphans ? (block_size_ - round.keep % block_size_) % block_size_ : in_flight;
  const std::uint32_t stay = std::min(in_flight, behind);
  bits::set_range(keep, live, live + stay);
  if (round.set == 0) damage_.orphaned = in_flight - stay;
  return true;
}

/// E-34: guarded tokens all score alike, and where they exceed what is kept, the first ones win.
void Evictor::keep_first_guarded(const EvictionRound& round, std::uint32_t pinned,
                                 std::span<std::uint64_t> keep) {
  std::uint32_t left = round.keep;
  for (std::size_t i = 0; i < round.live.size(); ++i) {
    if (!bits::test(guarded_, i)) continue;
    if (left > 0) {
      bits::set(keep, i);
      --left;
    } else if (round.set == 0) {
      damage_.pinned += round.live[i] < pinned;
    }
  }
}

Protection joined_protection(const EvictorOptions& options, const EvictionPolicy& policy) {
  const Protection own = policy.protection(options.budget);
  return {std::max(own.sinks, options.protect.sinks), std::max(own.recent, options.protect.recent)};
}

void check_protection(const EvictorOptions& options, const EvictionPolicy& policy) {
  if (policy.keep_rule() != KeepRule::budget) return;
  const Protection kept = joined_protection(options, policy);
  if (std::uint64_t{kept.sinks} + kept.recent < options.budget) return;
  throw UserError("eviction.budget is " + format_count(options.budget) + " tokens, but " +
                  format_count(kept.sinks) + " sinks and " + format_count(kept.recent) +
                  " recent tokens are always kept (eviction.protect and the policy's own), which "
                  "leaves nothing to choose. Raise the budget or protect fewer tokens.");
}

}  // namespace vacancy
