// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/query_statistics.hpp"

#include <algorithm>

#include "sim/eviction/triattention_score.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

RotaryBands::RotaryBands(double theta, std::uint32_t head_dim, bool half)
    : half_(half), frequencies_(rotary_frequencies(theta, head_dim)) {}

void RotaryBands::average(std::uint32_t first, std::uint32_t count, BandTurns& turns) const {
  constexpr double turns_per_radian = 0x1.45f306dc9c883p-3;  // 1 / (2 pi)
  turns.cosine.assign(frequencies_.size(), 0.0);
  turns.sine.assign(frequencies_.size(), 0.0);
  for (std::uint32_t n = 0; n < count; ++n)
    for (std::size_t f = 0; f < frequencies_.size(); ++f) {
      const double position = static_cast<double>(first) + n;
      const SinCos angle = portable_sincos(position * frequencies_[f] * turns_per_radian);
      turns.cosine[f] += angle.cos / count;
      turns.sine[f] += angle.sin / count;
    }
}

void RotaryBands::turn_back(std::span<const float> vector, const BandTurns& turns,
                            std::span<double> out) const {
  std::copy(vector.begin(), vector.end(), out.begin());
  for (std::size_t f = 0; f < size(); ++f) {
    const std::size_t a = real(f), b = imaginary(f);
    const double re = double{vector[a]}, im = double{vector[b]};
    out[a] = re * turns.cosine[f] + im * turns.sine[f];
    out[b] = im * turns.cosine[f] - re * turns.sine[f];
  }
}

QueryStatistics::QueryStatistics(const RotaryBands& rotary, std::uint32_t head_dim)
    : rotary_(rotary),
      dim_(head_dim),
      row_(head_dim),
      mean_(head_dim),
      query_(head_dim),
      covariance_(std::size_t{head_dim} * head_dim) {}

void QueryStatistics::measure(const SequenceAttention& attention, std::uint32_t layer,
                              std::uint32_t query_head, std::uint32_t first, std::uint32_t last,
                              bool with_covariance) {
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(covariance_.begin(), covariance_.end(), 0.0);
  with_covariance_ = with_covariance;
  const auto read = [&](std::uint32_t position) {
    attention.queries(layer, query_head, position, row_);
    rotary_.average(position, 1, turns_);
    rotary_.turn_back(row_, turns_, query_);
  };
  for (std::uint32_t position = first; position < last; ++position) {
    read(position);
    for (std::size_t c = 0; c < dim_; ++c)
      mean_[c] += query_[c] / (last - first);
  }
  for (std::uint32_t position = first; with_covariance && position < last; ++position) {
    read(position);
    for (std::size_t c = 0; c < dim_; ++c)
      query_[c] -= mean_[c];
    for (std::size_t a = 0; a < dim_; ++a) {
      const double x = query_[a] / (last - first);
      for (std::size_t b = 0; b < dim_; ++b)
        covariance_[a * dim_ + b] += x * query_[b];
    }
  }
}

double QueryStatistics::mean_at(std::span<const double> key) const {
  double sum = 0;
  for (std::size_t c = 0; c < dim_; ++c)
    sum += mean_[c] * key[c];
  return sum;
}

double QueryStatistics::spread_at(std::span<const double> key) const {
  if (!with_covariance_) return 0;
  double sum = 0;
  for (std::size_t a = 0; a < dim_; ++a) {
    double row = 0;
    for (std::size_t b = 0; b < dim_; ++b)
      row += covariance_[a * dim_ + b] * key[b];
    sum += row * key[a];
  }
  return sum;
}

}  // namespace vacancy
