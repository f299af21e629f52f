// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/eviction/policy.hpp"

namespace vacancy {

/// Calls f(i, key) for every live token of the round, ascending, with its post-RoPE key in (layer,
/// kv_head). Keys are read a stretch of positions at a time, the holes in it included: sources
/// serve rows of consecutive tokens.
template <class F>
void for_each_live_key(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                       std::vector<float>& buffer, F&& f) {
  constexpr std::uint32_t stretch = 128;
  const std::size_t dim = round.attention->shape().head_dim;
  buffer.resize(stretch * dim);
  for (std::size_t i = 0; i < round.live.size();) {
    const std::uint32_t first = round.live[i];
    std::size_t end = i + 1;
    while (end < round.live.size() && round.live[end] - first < stretch)
      ++end;
    const std::size_t rows = round.live[end - 1] - first + 1;
    round.attention->keys(layer, kv_head, first, std::span(buffer).first(rows * dim));
    for (; i < end; ++i)
      f(i, std::span<const float>(buffer).subspan((round.live[i] - first) * dim, dim));
  }
}

}  // namespace vacancy
