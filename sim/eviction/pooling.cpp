// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/pooling.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {

void add_pooled(std::span<const double> values, std::uint32_t kernel, Pooling pooling,
                std::span<double> sums) {
  const std::size_t half = kernel / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i - std::min(i, half);
    const auto near = values.subspan(first, std::min(values.size(), i + half + 1) - first);
    if (pooling == Pooling::max) {
      sums[i] += *std::max_element(near.begin(), near.end());
    } else {
      double sum = 0;
      for (const double value : near)
        sum += value;
      sums[i] += sum / kernel;
    }
  }
}

void check_pooling_kernel(const std::string& key, std::uint32_t kernel) {
  if (kernel % 2 == 0)
    throw UserError(key + " is " + std::to_string(kernel) +
                    "; pooling is centred on a token, so take an odd width.");
}

}  // namespace vacancy
