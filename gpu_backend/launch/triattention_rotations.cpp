// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/launch/triattention_rotations.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

namespace vacancy::gpu {

std::vector<double> triattention_rotations(std::span<const double> frequencies,
                                           std::uint32_t largest_distance, bool mean,
                                           double factor) {
  const auto distances = static_cast<std::size_t>(std::bit_width(largest_distance));
  const std::size_t bands = frequencies.size();
  const double share = mean ? factor / static_cast<double>(distances) : factor;
  std::vector<double> rotations(2 * bands * (mean ? 1 : distances), 0.0);
  for (std::size_t d = 0; d < distances; ++d)
    for (std::size_t f = 0; f < bands; ++f) {
      const double angle = std::ldexp(frequencies[f], static_cast<int>(d));
      const std::size_t at = (mean ? 0 : 2 * d) * bands + f;
      rotations[at] += share * std::cos(angle);
      rotations[at + bands] += share * std::sin(angle);
    }
  return rotations;
}

}  // namespace vacancy::gpu
