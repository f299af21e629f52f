// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "sim/eviction/evictor.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/support/fake_attention.hpp"

namespace vacancy::test {

using Tokens = std::vector<std::uint32_t>;

inline Tokens first_tokens(std::uint32_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), 0u);
  return tokens;
}

/// Tokens of [0, length) minus about every third: what earlier rounds leave behind.
inline Tokens tokens_with_holes(std::uint32_t length) {
  Tokens tokens;
  for (std::uint32_t i = 0; i < length; ++i)
    if (philox4x32_10({i, 0, 0, 0}, {9, 9})[0] % 3 != 0) tokens.push_back(i);
  return tokens;
}

inline Tokens kept_tokens(const Tokens& live, std::span<const std::uint64_t> mask) {
  Tokens kept;
  bits::for_each(mask, 0, live.size(), [&](std::size_t i) { kept.push_back(live[i]); });
  return kept;
}

/// The registered policy with its defaults, some parameters replaced.
inline std::unique_ptr<EvictionPolicy> make_policy(
    const std::string& name, const std::map<std::string, ParameterValue>& changes = {},
    const PolicyContext& context = {}) {
  const PolicyEntry* entry = find_policy(name);
  ParameterValues values;
  for (const Parameter& parameter : entry->info.parameters)
    values[parameter.name] = parameter.default_value;
  for (const auto& [key, value] : changes)
    values.at(key) = value;
  return entry->make(values, context);
}

/// A made sequence and an evictor on it, so that policies can be asked without a pool. Slots are
/// positions unless set.
struct Case {
  AttentionShape shape{1, 2, 1, 8};
  Scope scope = Scope::model;
  std::uint32_t block_size = 16;
  std::uint32_t length = 64;
  std::uint32_t prompt = 0;
  std::uint32_t round = 0;
  Tokens live;                // all of [0, length) if empty
  Tokens slots;               // live if empty
  std::vector<Tokens> lives;  // of each policy set, in slots of their positions; instead of live
  EvictorOptions options;

  const SequenceAttention* attention = nullptr;  // a made one if null
  const SequenceState* state = nullptr;          // the policy's own if null

  /// Kept tokens per policy set; empty if the round was skipped.
  std::vector<Tokens> keep(const EvictionPolicy& policy) const {
    const bool any = policy.needs().any();
    std::optional<FakeAttention> made;
    if (any && attention == nullptr) made.emplace(shape, length);
    const SequenceAttention* const source = made ? &*made : attention;
    const auto opened = state == nullptr ? policy.open_state(shape, prompt) : nullptr;
    if (opened) opened->advance(*source, length);

    const Tokens tokens = live.empty() ? first_tokens(length) : live;
    const Tokens& places = slots.empty() ? tokens : slots;
    const CacheLayout layout(shape.layers, shape.kv_heads, TableKind::shared, scope);
    Evictor evictor(policy, options, layout, block_size);
    EvictionRequest request;
    request.sequence = SequenceId(3);
    request.round = round;
    request.next_position = length;
    request.prompt_tokens = prompt;
    request.attention = source;
    request.state = opened ? opened.get() : state;

    KeepSets sets;
    if (!evictor.decide(
            request,
            [&](std::uint32_t set) {
              return lives.empty() ? LiveTokens{tokens, places}
                                   : LiveTokens{lives[set], lives[set]};
            },
            sets))
      return {};
    std::vector<Tokens> kept;
    for (std::size_t set = 0; set < sets.size(); ++set)
      kept.push_back(kept_tokens(lives.empty() ? tokens : lives[set], sets.mask(set)));
    return kept;
  }
};

}  // namespace vacancy::test
