// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/launch/pack_rounds.hpp"

#include <algorithm>

namespace vacancy::gpu {

PackRounds pack_rounds(std::span<const std::int32_t> begin, std::span<const std::int32_t> end,
                       std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  PackRounds rounds;
  rounds.lists = begin.size();
  rounds.bounds.assign(begin.begin(), begin.end());
  std::vector<std::int32_t> at(begin.begin(), begin.end());
  while (true) {
    std::int32_t longest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] == end[i]) continue;
      const std::int32_t first = at[i], limit = source[static_cast<std::size_t>(first)];
      while (at[i] < end[i] && target[static_cast<std::size_t>(at[i])] < limit)
        ++at[i];
      longest = std::max(longest, at[i] - first);
    }
    if (longest == 0) return rounds;
    rounds.bounds.insert(rounds.bounds.end(), at.begin(), at.end());
    rounds.longest.push_back(longest);
  }
}

}  // namespace vacancy::gpu
