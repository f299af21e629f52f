// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/selection.hpp"

#include <algorithm>
#include <string>

#include "gpu_backend/launch/buffer.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::verify {

namespace {

/// Positions of a set's live tokens, ascending.
std::vector<std::uint32_t> live_tokens(const Books::Table& table, std::uint32_t set) {
  std::vector<std::uint32_t> live;
  for (const std::int32_t token : table.token_at[set])
    if (token != no_token) live.push_back(static_cast<std::uint32_t>(token));
  std::sort(live.begin(), live.end());
  return live;
}

}  // namespace

void RandomSelection::check(const Books& books, SequenceId id, const TokensEvicted& event,
                            std::uint32_t in_flight) {
  const Books::Sequence& sequence = books.sequences().at(id);
  const CacheLayout& layout = books.layout();
  const std::uint32_t computed = sequence.tokens() - std::min(sequence.tokens(), in_flight);
  const std::uint32_t pinned = rule_.prompt == PromptRule::evictable ? 0 : sequence.prompt_tokens;
  const std::uint32_t keep =
      rule_.keep + (rule_.prompt == PromptRule::pinned_outside ? sequence.prompt_tokens : 0);
  const std::uint32_t head_end = std::max(pinned, rule_.protection.sinks);
  const std::uint32_t tail_begin = computed - std::min(computed, rule_.protection.recent);

  struct Choice {
    std::uint32_t table, set, policy_set, draw_row, keep;
    std::vector<std::uint32_t> live, open;  // open: those among which draws decide
  };
  std::vector<Choice> choices;
  std::uint32_t rows = 0;
  std::size_t longest = 0;
  for (std::uint32_t policy_set = 0; policy_set < layout.policy_sets(); ++policy_set) {
    const CacheLayout::Place place = layout.first_place(policy_set);
    const HeadRange heads = layout.heads(policy_set);
    Choice choice{place.table, place.set,
                  policy_set,  heads.first_layer * layout.kv_heads() + heads.first_head,
                  0,           live_tokens(sequence.tables[place.table], place.set),
                  {}};
    if (choice.live.size() <= keep) continue;  // all stay
    std::uint32_t stay = 0;
    for (const std::uint32_t token : choice.live)
      if (token < head_end || token >= tail_begin || token >= computed)
        ++stay;
      else
        choice.open.push_back(token);
    choice.keep = keep - std::min(keep, stay);
    rows = std::max(rows, choice.draw_row + 1);
    longest = std::max(longest, choice.open.size());
    choices.push_back(std::move(choice));
  }
  if (choices.empty() || longest == 0) return;

  std::vector<std::uint32_t> tokens(rows * longest);
  for (const Choice& choice : choices)
    std::copy(choice.open.begin(), choice.open.end(),
              tokens.begin() + static_cast<std::ptrdiff_t>(choice.draw_row * longest));
  const PhiloxKey key = philox_key(rule_.seed);
  const gpu::Buffer sequences(device_, std::vector{id.value()}),
      rounds(device_, std::vector{event.round}), positions(device_, tokens);
  const gpu::Buffer<std::uint32_t> draws(device_, tokens.size());
  gpu::RandomScores scores{.sequences = sequences.data(),
                           .rounds = rounds.data(),
                           .tokens = positions.data(),
                           .requests = 1,
                           .sets = static_cast<int>(rows),
                           .length = static_cast<int>(longest),
                           .scores = draws.data()};
  scores.key[0] = key[0];
  scores.key[1] = key[1];
  device_.run(scores);
  for (const Choice& choice : choices) {
    const gpu::Buffer end(device_, std::vector{static_cast<std::int32_t>(choice.open.size())});
    const gpu::Buffer<std::int32_t> best(device_, choice.keep);
    if (choice.keep > 0)
      device_.run(gpu::TopK{
          .rows = {.data = reinterpret_cast<float*>(draws.data() + choice.draw_row * longest),
                   .stride = static_cast<std::int64_t>(longest),
                   .requests = 1,
                   .end = end.data()},
          .keep = static_cast<int>(choice.keep),
          .kept = best.data(),
          .unsigned_keys = true});
    std::vector<bool> kept(sequence.tokens());
    for (const std::int32_t i : best.download())
      kept[choice.open[static_cast<std::size_t>(i)]] = true;
    for (const std::uint32_t token : choice.live)
      if (token < head_end || token >= tail_begin || token >= computed) kept[token] = true;
    for (std::size_t i = 0; i < choice.live.size(); ++i) {
      const std::uint32_t token = choice.live[i];
      const bool told = i < event.keep.live(choice.policy_set) &&
                        bits::test(event.keep.mask(choice.policy_set), i);
      if (told == kept[token]) continue;
      const auto name = [](bool stays) { return stays ? "kept" : "evicted"; };
      throw BookFault{choice.table,
                      {},
                      {},
                      "token " + std::to_string(token) + " " + name(kept[token]) + " by set " +
                          std::to_string(choice.policy_set) + ", as the kernels' draws rank it",
                      name(told)};
    }
    ++compared_;
  }
}

}  // namespace vacancy::verify
