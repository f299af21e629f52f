// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/evictor.hpp"

#include <algorithm>
#include <limits>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/counted.hpp"
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
  options_.budget = policy.capacity(options.budget);
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

std::uint32_t Evictor::length(std::uint32_t live, std::uint32_t prompt_tokens,
                              std::optional<std::uint32_t> grown) const {
  if (!grown || policy_.keep_rule() == KeepRule::budget) return live;
  const std::uint64_t length = std::uint64_t{keep_count(prompt_tokens)} + *grown;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(live, length));
}

bool Evictor::can_evict(std::uint32_t live, std::uint32_t prompt_tokens) const {
  if (policy_.keep_rule() == KeepRule::own) return live > 0;
  return live > keep_count(prompt_tokens);
}

bool Evictor::length_due(const Growth& growth) const {
  if (!length_fires(growth)) return false;
  if (options_.trigger == TriggerKind::aligned && policy_.keep_rule() != KeepRule::own)
    return growth.live >= std::uint64_t{keep_count(growth.prompt_tokens)} +
                              (options_.count_prompt ? 0 : growth.prompt_tokens);
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
      // The multiples that a prompt passes are no steps; the one at which it ends is.
      return growth.position_after <= growth.prompt_tokens
                 ? growth.position_after % options_.interval == 0
                 : growth.position_before / options_.interval <
                       growth.position_after / options_.interval;
    case TriggerKind::slack: {
      // The effective size leaves out a prompt that does not count in the budget.
      const bool outside = options_.prompt == PromptRule::pinned_outside || !options_.count_prompt;
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

bool Evictor::decide(const EvictionRequest& request, const Lister& live_tokens, KeepSets& out) {
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
  out.reset(layout_.policy_sets());
  return policy_.keep_rule() == KeepRule::ragged ? decide_together(round, live_tokens, out)
                                                 : decide_alone(round, live_tokens, out);
}

/// Set after set; false if in one of them guarded tokens leave nothing to choose.
bool Evictor::decide_alone(EvictionRound& round, const Lister& live_tokens, KeepSets& out) {
  const bool own_rule = policy_.keep_rule() == KeepRule::own;
  for (std::uint32_t set = 0; set < layout_.policy_sets(); ++set) {
    const LiveTokens tokens = live_tokens(set);
    const auto all = static_cast<std::uint32_t>(tokens.tokens.size());
    const std::uint32_t in_flight = enter(round, set, tokens);
    const std::span<std::uint64_t> keep = out.begin(set, all);
    if (!own_rule && round.live.size() <= round.keep) {
      bits::set_range(keep, 0, all);  // a set that is shorter than the one that made the round due
      continue;
    }
    guarded_.assign(bits::words(round.live.size()), 0);
    if (guard(round, guarded_) < round.keep)
      select(round, keep);
    else if (options_.faults.has(EvictionFault::prefill_guard) && !own_rule && round.keep > 0)
      keep_first_guarded(round, keep);
    else
      return false;
    keep_in_flight(round, in_flight, keep);
  }
  return true;
}

/// All sets at once, in shares of the policy's. Skipped where equal budgets would be.
bool Evictor::decide_together(EvictionRound& round, const Lister& live_tokens, KeepSets& out) {
  const std::uint32_t sets = layout_.policy_sets();
  members_.resize(sets);
  tokens_.clear();
  slots_.clear();
  std::size_t words = 0;
  for (std::uint32_t set = 0; set < sets; ++set) {
    const LiveTokens live = live_tokens(set);
    members_[set] = {tokens_.size(), live.tokens.size(), words, 0, 0};
    tokens_.insert(tokens_.end(), live.tokens.begin(), live.tokens.end());
    slots_.insert(slots_.end(), live.slots.begin(), live.slots.end());
    words += bits::words(live.tokens.size());
  }
  guarded_.assign(words, 0);
  rounds_.assign(sets, round);
  shares_.resize(sets);
  for (std::uint32_t set = 0; set < sets; ++set) {
    Member& member = members_[set];
    EvictionRound& one = rounds_[set];
    const auto part = [&](const std::vector<std::uint32_t>& of) {
      return std::span(of).subspan(member.first_token, member.tokens);
    };
    member.in_flight = enter(one, set, {part(tokens_), part(slots_)});
    member.guarded =
        guard(one, std::span(guarded_).subspan(member.first_word, bits::words(one.live.size())));
    if (member.guarded >= one.keep && one.live.size() > one.keep) return false;
    shares_[set] = one.keep;
  }
  policy_.allot(rounds_, shares_, scratch_);
  for (std::uint32_t set = 0; set < sets; ++set) {
    const Member& member = members_[set];
    EvictionRound& one = rounds_[set];
    const std::span<std::uint64_t> keep = out.begin(set, static_cast<std::uint32_t>(member.tokens));
    if (shares_[set] >= one.live.size()) {
      bits::set_range(keep, 0, member.tokens);
      continue;
    }
    one.keep = std::max(shares_[set], member.guarded);
    select(one, keep);
    keep_in_flight(one, member.in_flight, keep);
  }
  return true;
}

/// Orphaned tokens in flight are a defect of compaction to a count.
bool Evictor::orphans() const {
  return options_.faults.has(EvictionFault::reclaim_orphan) && policy_.keep_rule() != KeepRule::own;
}

/// Shows the round one set, without its tokens in flight, and the equal budget; returns how many
/// are in flight.
std::uint32_t Evictor::enter(EvictionRound& round, std::uint32_t set,
                             const LiveTokens& tokens) const {
  VACANCY_ASSERT(tokens.tokens.size() == tokens.slots.size(), "every live token has a slot");
  const auto computed = static_cast<std::uint32_t>(
      std::lower_bound(tokens.tokens.begin(), tokens.tokens.end(), round.next_position) -
      tokens.tokens.begin());
  const auto in_flight = static_cast<std::uint32_t>(tokens.tokens.size()) - computed;
  const std::uint32_t room = keep_count(round.prompt_tokens);
  round.set = set;
  round.live = tokens.tokens.first(computed);
  round.slots = tokens.slots.first(computed);
  round.keep = policy_.keep_rule() == KeepRule::own ? computed
               : orphans()                          ? room
                                                    : room - std::min(room, in_flight);
  return in_flight;
}

/// Marks what must stay; returns how many.
std::uint32_t Evictor::guard(EvictionRound& round, std::span<std::uint64_t> guarded) const {
  round.guarded = guarded;
  return guard_tokens(round.live, round.next_position, pinned(round), protection_, guarded);
}

/// The policy's choice, token by token or by whole blocks.
void Evictor::select(EvictionRound& round, std::span<std::uint64_t> keep) {
  const bool own_rule = policy_.keep_rule() == KeepRule::own;
  const std::span<std::uint64_t> computed = keep.first(bits::words(round.live.size()));
  if (!options_.whole_blocks || own_rule) policy_.select(round, computed, scratch_);
  if (!options_.whole_blocks) return;
  if (own_rule) {
    round.keep = static_cast<std::uint32_t>(bits::count(computed));
    std::fill(computed.begin(), computed.end(), 0);
  }
  keep_best_blocks(round, scores_of(policy_, round, scratch_), *options_.whole_blocks, computed,
                   scratch_);
}

/// Tokens in flight stay. E-31: compaction that knows of `round.keep` tokens frees the blocks
/// behind them, whoever is in there.
void Evictor::keep_in_flight(const EvictionRound& round, std::uint32_t in_flight,
                             std::span<std::uint64_t> keep) {
  const std::uint32_t behind =
      orphans() ? (block_size_ - round.keep % block_size_) % block_size_ : in_flight;
  const std::uint32_t stay = std::min(in_flight, behind);
  bits::set_range(keep, round.live.size(), round.live.size() + stay);
  if (round.set == 0) damage_.orphaned = in_flight - stay;
}

/// E-34: guarded tokens all score alike, and where they exceed what is kept, the first ones win.
void Evictor::keep_first_guarded(const EvictionRound& round, std::span<std::uint64_t> keep) {
  std::uint32_t left = round.keep;
  for (std::size_t i = 0; i < round.live.size(); ++i) {
    if (!bits::test(round.guarded, i)) continue;
    if (left > 0) {
      bits::set(keep, i);
      --left;
    } else if (round.set == 0) {
      damage_.pinned += round.live[i] < pinned(round);
    }
  }
}

Protection joined_protection(const EvictorOptions& options, const EvictionPolicy& policy) {
  const Protection own = policy.protection(policy.capacity(options.budget));
  return {std::max(own.sinks, options.protect.sinks), std::max(own.recent, options.protect.recent)};
}

void check_protection(const EvictorOptions& options, const EvictionPolicy& policy,
                      const std::string& place) {
  if (!has_budget(policy.keep_rule())) return;
  const auto leaves_a_choice = [&](std::uint32_t budget) {
    EvictorOptions other = options;
    other.budget = budget;
    const Protection kept = joined_protection(other, policy);
    return std::uint64_t{kept.sinks} + kept.recent < policy.capacity(budget);
  };
  if (leaves_a_choice(options.budget)) return;
  // A method may protect a share of whatever the budget is, or make no more of a larger one.
  constexpr std::uint64_t most = 1u << 30;
  bool larger_would_do = false;
  for (std::uint64_t budget = options.budget; budget <= most && !larger_would_do;
       budget = 2 * budget + 1)
    larger_would_do = leaves_a_choice(static_cast<std::uint32_t>(budget));
  const Protection kept = joined_protection(options, policy);
  const std::uint32_t capacity = policy.capacity(options.budget);
  throw UserError(
      "eviction.budget is " + counted(options.budget, "token") +
      (capacity == options.budget ? std::string()
                                  : ", of which the method makes " + format_count(capacity)) +
      ", but " + counted(kept.sinks, "first token") + " and " +
      counted(kept.recent, "recent token") +
      " are always kept (eviction.protect and the policy's own, see " + place +
      "), which leaves nothing to choose. " +
      (larger_would_do ? "Raise the budget or protect fewer tokens."
                       : "No budget is large enough: protect fewer tokens, or change what " +
                             place + " says of the budget."));
}

}  // namespace vacancy
