// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/keep_set_check.hpp"

#include <algorithm>
#include <string>

#include "sim/units/bit_mask.hpp"

namespace vacancy::verify {

namespace {

/// Enters a set's live tokens, ascending, and where they stand.
void enter_tokens(const Books::Table& table, SetChoice& choice) {
  const std::vector<std::int32_t>& token_at = table.token_at[choice.set];
  for (std::uint32_t slot = 0; slot < token_at.size(); ++slot)
    if (token_at[slot] != no_token) choice.slots.push_back(slot);
  std::sort(choice.slots.begin(), choice.slots.end(),
            [&](std::uint32_t a, std::uint32_t b) { return token_at[a] < token_at[b]; });
  for (const std::uint32_t slot : choice.slots)
    choice.live.push_back(static_cast<std::uint32_t>(token_at[slot]));
}

bool told_to_stay(const TokensEvicted& event, std::uint32_t policy_set, std::size_t ordinal) {
  return ordinal < event.keep.live(policy_set) && bits::test(event.keep.mask(policy_set), ordinal);
}

}  // namespace

std::vector<SetChoice> set_choices(const Books& books, SequenceId id, const TokensEvicted& event,
                                   const ChoiceRule& rule, std::uint32_t in_flight) {
  const Books::Sequence& sequence = books.sequences().at(id);
  const CacheLayout& layout = books.layout();
  const std::uint32_t computed = sequence.tokens() - std::min(sequence.tokens(), in_flight);
  const std::uint32_t pinned = rule.prompt == PromptRule::evictable ? 0 : sequence.prompt_tokens;
  const std::uint32_t room =
      rule.keep + (rule.prompt == PromptRule::pinned_outside ? sequence.prompt_tokens : 0);
  const std::uint32_t head_end = std::max(pinned, rule.protection.sinks);
  const std::uint32_t tail_begin = computed - std::min(computed, rule.protection.recent);

  std::vector<SetChoice> choices;
  for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
    const CacheLayout::Place place = layout.first_place(set);
    SetChoice choice{place.table, place.set, set, layout.heads(set)};
    enter_tokens(sequence.tables[place.table], choice);
    const std::vector<std::uint32_t>& live = choice.live;
    const auto ordinal_of = [&](std::uint32_t position) {
      return static_cast<std::uint32_t>(std::lower_bound(live.begin(), live.end(), position) -
                                        live.begin());
    };
    choice.computed = ordinal_of(computed);
    choice.begin = std::min(ordinal_of(head_end), choice.computed);
    choice.end = std::max(choice.begin, ordinal_of(tail_begin));
    const auto all = static_cast<std::uint32_t>(live.size());
    const std::uint32_t stay = all - choice.open();
    if (rule.shares_told) {
      for (std::uint32_t i = choice.begin; i < choice.end; ++i)
        choice.keep += told_to_stay(event, set, i);
    } else {
      choice.keep = all <= room ? choice.open() : room - std::min(room, stay);
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

void throw_misranked(const SetChoice& choice, std::uint32_t ordinal, bool stays,
                     const char* ranker) {
  const auto name = [](bool kept) { return kept ? "kept" : "evicted"; };
  throw BookFault{choice.table,
                  {},
                  {},
                  std::string(choice.among) + " " + std::to_string(choice.live[ordinal]) + " " +
                      name(stays) + " by set " + std::to_string(choice.policy_set) + ", as " +
                      ranker + " rank it",
                  name(!stays)};
}

std::vector<bool> told(const SetChoice& choice, const TokensEvicted& event) {
  std::vector<bool> kept(choice.live.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    kept[i] = told_to_stay(event, choice.policy_set, i);
    const bool may_go = i >= choice.begin && i < choice.end;
    if (!may_go && !kept[i]) throw_misranked(choice, i, true, "protection and the prompt's rule");
  }
  return kept;
}

}  // namespace vacancy::verify
