// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/own_calibration.hpp"

#include <cmath>
#include <span>
#include <utility>

namespace vacancy {

OwnCalibration::OwnCalibration(const AttentionShape& shape, RotaryBands rotary)
    : rotary_(std::move(rotary)),
      statistics_("the sequence's own queries", shape.layers, shape.query_heads, shape.head_dim),
      sums_(std::size_t{shape.layers} * shape.query_heads * 3 * rotary_.size()),
      query_(shape.head_dim),
      means_(3 * rotary_.size()),
      turned_(shape.head_dim) {}

void OwnCalibration::advance(const SequenceAttention& attention, std::uint32_t length) {
  if (length <= length_) return;
  const std::size_t bands = rotary_.size();
  for (; length_ < length; ++length_) {
    rotary_.average(length_, 1, turns_);
    std::span<double> rest = sums_;
    for (std::uint32_t layer = 0; layer < statistics_.layers(); ++layer)
      for (std::uint32_t head = 0; head < statistics_.query_heads(); ++head) {
        attention.queries(layer, head, length_, query_);
        rotary_.turn_back(query_, turns_, turned_);
        for (std::size_t f = 0; f < bands; ++f) {
          const double re = turned_[rotary_.real(f)], im = turned_[rotary_.imaginary(f)];
          rest[f] += re;
          rest[bands + f] += im;
          rest[2 * bands + f] += std::sqrt(re * re + im * im);
        }
        rest = rest.subspan(3 * bands);
      }
  }
  std::span<const double> rest = sums_;
  for (std::uint32_t layer = 0; layer < statistics_.layers(); ++layer)
    for (std::uint32_t head = 0; head < statistics_.query_heads(); ++head) {
      for (std::size_t i = 0; i < means_.size(); ++i)
        means_[i] = static_cast<float>(rest[i] / length_);
      const auto part = [&](std::size_t i) {
        return std::span<const float>(means_).subspan(i * bands, bands);
      };
      statistics_.set_head(layer, head, {part(0), part(1), part(2)}, "queries");
      rest = rest.subspan(3 * bands);
    }
}

}  // namespace vacancy
