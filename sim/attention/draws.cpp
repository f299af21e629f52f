// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

constexpr std::size_t pairs_at_once = 64;

}  // namespace

void AttentionDraws::normals(DrawPurpose purpose, std::uint32_t set, std::uint32_t token,
                             std::span<float> out) const {
  std::array<std::uint32_t, pairs_at_once> radius_bits, angle_bits;
  std::array<float, 2 * pairs_at_once> numbers;
  std::uint32_t round = 0;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(out.size() - done, numbers.size());
    const std::size_t pairs = (count + 1) / 2;
    for (std::size_t i = 0; i < pairs; i += 2) {  // pairs_at_once is even
      const auto words = (*this)(purpose, set, round++, token);
      radius_bits[i] = words[0];
      angle_bits[i] = words[1];
      radius_bits[i + 1] = words[2];
      angle_bits[i + 1] = words[3];
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const float uniform = (static_cast<float>(radius_bits[i]) + 1.0f) * 0x1.0p-32f;
      const float radius = std::sqrt(-2.0f * portable_log(uniform));
      const SinCosF angle = portable_sincos(static_cast<float>(angle_bits[i]) * 0x1.0p-32f);
      numbers[2 * i] = radius * angle.cos;
      numbers[2 * i + 1] = radius * angle.sin;
    }
    std::copy_n(numbers.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
  }
}

double exponential(std::uint32_t bits, double mean) {
  return -mean * portable_log(unit_interval_above_zero(bits));
}

std::uint32_t geometric(std::uint32_t bits, double mean) {
  if (mean <= 1.0) return 1;
  const double trials =
      portable_log(unit_interval_above_zero(bits)) / portable_log(1.0 - 1.0 / mean);
  return 1 + static_cast<std::uint32_t>(std::min(trials, 0x1.0p30));
}

}  // namespace vacancy
