// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/calibration.hpp"

namespace vacancy {

// TriAttention's score of a cached key (arXiv 2604.04921; spec policies §4.1, §4.2): the logit that
// the calibrated mean query would pay it, averaged over future distances, plus what the spread of
// the queries' moduli adds. RoPE pairing "half": band f of a vector v is v[f] + i·v[f + F].

/// How the values at the future distances 1, 2, 4 … become one.
enum class OffsetAggregation { mean, max };

struct TriAttentionTerms {
  std::uint32_t offset_max = 65536;  // the largest distance
  OffsetAggregation offsets = OffsetAggregation::mean;
  bool disable_trig = false;    // only the norm term
  bool disable_mlr = false;     // the norm term takes E|q| instead of E|q| - |E q|
  double rotary_scaling = 1.0;  // s: the factor that cached keys carry (YaRN), 1 for plain RoPE
};

/// theta^(-2f/d), radians per token.
std::vector<double> rotary_frequencies(double theta, std::uint32_t head_dim);

/// The definition, term by term, for one post-RoPE key that stands at position p when the next
/// token is t: un-rotates the key and turns it to every distance. `magnitude`, if given, receives
/// the sum of the absolute values of all terms, what rounding is measured against.
double triattention_score_explicit(const HeadStatistics& query, std::span<const double> frequencies,
                                   const TriAttentionTerms& terms, std::uint32_t t, std::uint32_t p,
                                   std::span<const float> key, double* magnitude = nullptr);

/// The form that kernels use: with the post-RoPE key the position p cancels, so a round needs one
/// set of weights per query head and reads keys only. The mean over distances is inside the
/// weights; for the maximum there is one row of weights a distance.
///
/// A cached key carries one factor s and the score wants s squared, so weights carry the other one.
/// (A public kernel squares s on top of it.)
class TriAttentionPhases {
 public:
  TriAttentionPhases(std::span<const double> frequencies, const TriAttentionTerms& terms,
                     std::uint32_t t);

  std::size_t bands() const { return bands_; }
  /// Length of a query head's weights.
  std::size_t weights() const { return (2 * rows_ + 1) * bands_; }
  void make_weights(const HeadStatistics& query, std::span<double> weights) const;

  /// `key` is a post-RoPE key in double, `moduli` its |k_f|.
  double score(std::span<const double> weights, std::span<const double> key,
               std::span<const double> moduli) const;

 private:
  TriAttentionTerms terms_;
  std::size_t bands_, rows_;
  std::vector<double> cosine_, sine_;  // [row][band]
};

/// Scales a row to mean 0 and population standard deviation 1 (at least 1e-6) over the tokens that
/// count; all tokens are scaled.
template <class Counts>
void normalize_row(std::span<double> row, Counts&& counts) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (counts(i)) {
      sum += row[i];
      ++count;
    }
  if (count == 0) return;
  const double mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (counts(i)) squares += (row[i] - mean) * (row[i] - mean);
  const double deviation = std::max(std::sqrt(squares / static_cast<double>(count)), 1e-6);
  for (double& value : row)
    value = (value - mean) / deviation;
}

}  // namespace vacancy
