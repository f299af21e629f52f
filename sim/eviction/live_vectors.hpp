// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "sim/eviction/policy.hpp"

namespace vacancy {

/// Calls f(i, vector) for every live token of the round, ascending; `read(first, out)` fills rows
/// of consecutive positions. Vectors are read a stretch of positions at a time, the holes in it
/// included: sources serve rows of consecutive tokens.
template <class Read, class F>
void for_each_live_vector(const EvictionRound& round, std::vector<float>& buffer, Read&& read,
                          F&& f) {
  constexpr std::uint32_t stretch = 128;
  const std::size_t dim = round.attention->shape().head_dim;
  buffer.resize(stretch * dim);
  for (std::size_t i = 0; i < round.live.size();) {
    const std::uint32_t first = round.live[i];
    std::size_t end = i + 1;
    while (end < round.live.size() && round.live[end] - first < stretch)
      ++end;
    const std::size_t rows = round.live[end - 1] - first + 1;
    read(first, std::span(buffer).first(rows * dim));
    for (; i < end; ++i)
      f(i, std::span<const float>(buffer).subspan((round.live[i] - first) * dim, dim));
  }
}

/// The post-RoPE keys of (layer, kv_head).
template <class F>
void for_each_live_key(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                       std::vector<float>& buffer, F&& f) {
  for_each_live_vector(
      round, buffer,
      [&](std::uint32_t first, std::span<float> out) {
        round.attention->keys(layer, kv_head, first, out);
      },
      f);
}

/// The values of (layer, kv_head).
template <class F>
void for_each_live_value(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                         std::vector<float>& buffer, F&& f) {
  for_each_live_vector(
      round, buffer,
      [&](std::uint32_t first, std::span<float> out) {
        round.attention->values(layer, kv_head, first, out);
      },
      f);
}

inline double l2_norm(std::span<const float> vector) {
  double squares = 0;
  for (const float x : vector)
    squares += double{x} * double{x};
  return std::sqrt(squares);
}

}  // namespace vacancy
