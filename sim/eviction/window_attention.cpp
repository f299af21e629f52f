// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/window_attention.hpp"

namespace vacancy {

void add_window_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                          std::uint32_t first_query, std::size_t among, std::span<double> received,
                          std::vector<float>& row) {
  const std::uint32_t group = round.attention->shape().group();
  for (std::uint32_t member = 0; member < group; ++member) {
    for (std::uint32_t query = first_query; query < round.next_position; ++query) {
      row.resize(std::size_t{query} + 1);
      round.attention->weights(layer, kv_head * group + member, query, row);
      double mass = 0;
      for (std::size_t i = 0; i < among && round.live[i] <= query; ++i)
        mass += double{row[round.live[i]]};
      if (mass <= 0) continue;
      for (std::size_t i = 0; i < received.size() && round.live[i] <= query; ++i)
        received[i] += double{row[round.live[i]]} / mass;
    }
  }
}

}  // namespace vacancy
