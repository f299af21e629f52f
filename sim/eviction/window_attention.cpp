// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/window_attention.hpp"

namespace vacancy {

void add_head_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t query_head,
                        std::uint32_t first_query, std::size_t among, std::span<double> received,
                        std::vector<float>& buffer) {
  for_each_head_row(round, layer, query_head, first_query, buffer, [&](auto row, std::size_t seen) {
    double mass = 0;
    for (std::size_t i = 0; i < std::min(among, seen); ++i)
      mass += double{row[round.live[i]]};
    if (mass <= 0) return;
    for (std::size_t i = 0; i < std::min(received.size(), seen); ++i)
      received[i] += double{row[round.live[i]]} / mass;
  });
}

void add_window_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                          std::uint32_t first_query, std::size_t among, std::span<double> received,
                          std::vector<float>& buffer) {
  const std::uint32_t group = round.attention->shape().group();
  for (std::uint32_t member = 0; member < group; ++member)
    add_head_attention(round, layer, kv_head * group + member, first_query, among, received,
                       buffer);
}

}  // namespace vacancy
