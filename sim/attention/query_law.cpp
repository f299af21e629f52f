// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/query_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

constexpr double largest_concentration = 1.0 - 1e-6;
constexpr std::size_t bands_at_once = 64;

}  // namespace

QueryLaw::QueryLaw(const HeadStatistics& statistics, double spread) : spread_(spread) {
  for (std::size_t f = 0; f < statistics.mean_abs.size(); ++f) {
    const double real = double{statistics.mean_real[f]}, imag = double{statistics.mean_imag[f]};
    const double modulus = double{statistics.mean_abs[f]};
    const double mean = std::sqrt(real * real + imag * imag);
    real_.push_back(mean > 0.0 ? modulus * real / mean : modulus);
    imag_.push_back(mean > 0.0 ? modulus * imag / mean : 0.0);
    concentration_.push_back(modulus > 0.0 ? std::min(mean / modulus, largest_concentration) : 0.0);
    mean_square_ += modulus * modulus * (1.0 + spread * spread / 3.0);
  }
}

void QueryLaw::draw(const AttentionDraws& draws, std::uint32_t set, std::uint32_t token,
                    std::span<float> out) const {
  const std::size_t bands = real_.size();
  VACANCY_ASSERT(out.size() == 2 * bands, "a query of this head");
  std::array<std::uint32_t, bands_at_once> angle_bits, modulus_bits;
  for (std::size_t begin = 0; begin < bands; begin += bands_at_once) {
    const std::size_t count = std::min(bands - begin, bands_at_once);
    for (std::size_t i = 0; i < count; i += 2) {  // bands_at_once is even
      const auto words =
          draws(DrawPurpose::query, set, static_cast<std::uint32_t>((begin + i) / 2), token);
      angle_bits[i] = words[0];
      modulus_bits[i] = words[1];
      angle_bits[i + 1] = words[2];
      modulus_bits[i + 1] = words[3];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t f = begin + i;
      const double r = concentration_[f];
      const SinCos w = portable_sincos(unit_interval(angle_bits[i]));
      const double modulus = 1.0 + spread_ * (2.0 * unit_interval(modulus_bits[i]) - 1.0);
      // z = (w + r)(1 + r·conj(w)) / |1 + r·w|², scaled by the modulus.
      const double scale = modulus / (1.0 + 2.0 * r * w.cos + r * r);
      const double z_real = scale * ((1.0 + r * r) * w.cos + 2.0 * r);
      const double z_imag = scale * (1.0 - r * r) * w.sin;
      out[f] = static_cast<float>(real_[f] * z_real - imag_[f] * z_imag);
      out[f + bands] = static_cast<float>(real_[f] * z_imag + imag_[f] * z_real);
    }
  }
}

}  // namespace vacancy
