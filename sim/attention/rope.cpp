// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/rope.hpp"

#include <cmath>
#include <numbers>

#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

RotaryTable::RotaryTable(std::uint32_t head_dim, double theta, RopePairing pairing)
    : bands_(head_dim / 2), pairing_(pairing) {
  VACANCY_ASSERT(head_dim >= 2 && head_dim % 2 == 0, "components rotate in pairs");
  VACANCY_ASSERT(theta > 0.0, "the rotary base is positive");
  for (std::uint32_t f = 0; f < bands_; ++f)
    frequencies_.push_back(portable_pow(theta, -2.0 * f / head_dim));
}

void RotaryTable::grow(std::uint32_t length) {
  if (length <= length_) return;
  table_.resize(std::size_t{length} * 2 * bands_);
  for (; length_ < length; ++length_) {
    float* cosines = &table_[std::size_t{length_} * 2 * bands_];
    float* sines = cosines + bands_;
    for (std::uint32_t f = 0; f < bands_; ++f) {
      const double turns = length_ * frequencies_[f] / (2.0 * std::numbers::pi);
      const SinCos angle = portable_sincos(turns - std::floor(turns));
      cosines[f] = static_cast<float>(angle.cos);
      sines[f] = static_cast<float>(angle.sin);
    }
  }
}

void RotaryTable::rotate(std::span<float> vector, std::uint32_t position) const {
  VACANCY_ASSERT(position < length_ && vector.size() == 2 * bands_, "a known position and head");
  const float* cosines = &table_[std::size_t{position} * 2 * bands_];
  const float* sines = cosines + bands_;
  const std::uint32_t step = pairing_ == RopePairing::interleaved ? 2 : 1;
  const std::uint32_t partner = pairing_ == RopePairing::interleaved ? 1 : bands_;
  for (std::uint32_t f = 0; f < bands_; ++f) {
    float& real = vector[f * step];
    float& imag = vector[f * step + partner];
    const float r = real * cosines[f] - imag * sines[f];
    imag = real * sines[f] + imag * cosines[f];
    real = r;
  }
}

}  // namespace vacancy
