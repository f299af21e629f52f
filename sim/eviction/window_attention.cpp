// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/window_attention.hpp"

namespace vacancy {

void add_window_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                          std::uint32_t first_query, std::size_t among, std::span<double> received,
                          std::vector<float>& buffer) {
  for_each_window_row(round, layer, kv_head, first_query, buffer, [&](auto row, std::size_t seen) {
    double mass = 0;
    for (std::size_t i = 0; i < std::min(among, seen); ++i)
      mass += double{row[round.live[i]]};
    if (mass <= 0) return;
    for (std::size_t i = 0; i < std::min(received.size(), seen); ++i)
      received[i] += double{row[round.live[i]]} / mass;
  });
}

}  // namespace vacancy
