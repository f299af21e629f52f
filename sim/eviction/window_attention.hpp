// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/eviction/policy.hpp"

namespace vacancy {

// Scores from the softmax rows of the last queries, as several methods take them.

/// The first of the last `window` query positions.
inline std::uint32_t window_start(const EvictionRound& round, std::uint32_t window) {
  return round.next_position - std::min(round.next_position, window);
}

/// How many live tokens stand before `position`.
inline std::size_t live_before(const EvictionRound& round, std::uint32_t position) {
  return static_cast<std::size_t>(std::lower_bound(round.live.begin(), round.live.end(), position) -
                                  round.live.begin());
}

/// Calls f(row, seen) for every query of a query head from `first_query` on, ascending: its softmax
/// row, and how many live tokens it could see.
template <class F>
void for_each_head_row(const EvictionRound& round, std::uint32_t layer, std::uint32_t query_head,
                       std::uint32_t first_query, std::vector<float>& buffer, F&& f) {
  std::size_t seen = live_before(round, first_query);
  for (std::uint32_t query = first_query; query < round.next_position; ++query) {
    while (seen < round.live.size() && round.live[seen] <= query)
      ++seen;
    buffer.resize(std::size_t{query} + 1);
    round.attention->weights(layer, query_head, query, buffer);
    f(std::span<const float>(buffer), seen);
  }
}

/// The same for the query heads of a KV head, one after the other.
template <class F>
void for_each_window_row(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                         std::uint32_t first_query, std::vector<float>& buffer, F&& f) {
  const std::uint32_t group = round.attention->shape().group();
  for (std::uint32_t member = 0; member < group; ++member)
    for_each_head_row(round, layer, kv_head * group + member, first_query, buffer, f);
}

/// Adds to received[i] the attention that queries from `first_query` on of a query head pay to
/// live[i]; received.size() <= among. Softmax runs over the first `among` live tokens: rows of the
/// uncompressed run are scaled so that these sum to 1.
void add_head_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t query_head,
                        std::uint32_t first_query, std::size_t among, std::span<double> received,
                        std::vector<float>& buffer);

/// The same, summed over the query heads of a KV head.
void add_window_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                          std::uint32_t first_query, std::size_t among, std::span<double> received,
                          std::vector<float>& buffer);

}  // namespace vacancy
