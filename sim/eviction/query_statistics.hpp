// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/attention.hpp"

namespace vacancy {

/// The turn of each rotary band, averaged over some positions: no rotation any more, but linear.
struct BandTurns {
  std::vector<double> cosine, sine;
};

/// Rotary embedding of one head's vectors, in double.
class RotaryBands {
 public:
  /// `half`: which components pair, see AttentionFeatures.
  RotaryBands(double theta, std::uint32_t head_dim, bool half);

  std::size_t size() const { return frequencies_.size(); }
  /// The components of a vector that a band turns.
  std::size_t real(std::size_t band) const { return half_ ? band : 2 * band; }
  std::size_t imaginary(std::size_t band) const { return half_ ? band + size() : 2 * band + 1; }

  /// The mean over positions first, …, first + count - 1.
  void average(std::uint32_t first, std::uint32_t count, BandTurns& turns) const;
  /// The transposed turns: for a single position, the embedding undone.
  void turn_back(std::span<const float> vector, const BandTurns& turns,
                 std::span<double> out) const;

 private:
  bool half_;
  std::vector<double> frequencies_;
};

/// Mean and covariance of one head's queries before rotary embedding.
class QueryStatistics {
 public:
  QueryStatistics(const RotaryBands& rotary, std::uint32_t head_dim);

  /// Queries [first, last); without any, all is 0.
  void measure(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t query_head,
               std::uint32_t first, std::uint32_t last, bool with_covariance);

  double mean_at(std::span<const double> key) const;
  /// k^T S k, 0 without covariance.
  double spread_at(std::span<const double> key) const;

 private:
  const RotaryBands& rotary_;
  std::size_t dim_;
  bool with_covariance_ = false;
  BandTurns turns_;
  std::vector<float> row_;
  std::vector<double> mean_, query_, covariance_;
};

}  // namespace vacancy
