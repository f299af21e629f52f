// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/triattention_score.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {
namespace {

constexpr double turns_per_radian = 0x1.45f306dc9c883p-3;  // 1 / (2 pi)

/// e^(i·angle)
std::complex<double> unit_phase(double radians) {
  const SinCos phase = portable_sincos(radians * turns_per_radian);
  return {phase.cos, phase.sin};
}

std::vector<std::uint32_t> offsets_up_to(std::uint32_t largest) {
  std::vector<std::uint32_t> offsets;
  for (std::uint64_t offset = 1; offset <= largest; offset *= 2)
    offsets.push_back(static_cast<std::uint32_t>(offset));
  return offsets;
}

double modulus(double real, double imag) {
  return std::sqrt(real * real + imag * imag);
}

/// What the norm term multiplies |k_f| with.
double norm_weight(const HeadStatistics& query, std::size_t f, const TriAttentionTerms& terms) {
  const double mean_modulus = double{query.mean_abs[f]};
  if (terms.disable_mlr) return mean_modulus;
  return mean_modulus - modulus(double{query.mean_real[f]}, double{query.mean_imag[f]});
}

}  // namespace

std::vector<double> rotary_frequencies(double theta, std::uint32_t head_dim) {
  std::vector<double> frequencies(head_dim / 2);
  for (std::size_t f = 0; f < frequencies.size(); ++f)
    frequencies[f] = portable_pow(theta, -2.0 * static_cast<double>(f) / head_dim);
  return frequencies;
}

double triattention_score_explicit(const HeadStatistics& query, std::span<const double> frequencies,
                                   const TriAttentionTerms& terms, std::uint32_t t, std::uint32_t p,
                                   std::span<const float> key, double* magnitude) {
  const std::size_t bands = frequencies.size();
  const double s = terms.rotary_scaling;
  const std::vector<std::uint32_t> offsets = offsets_up_to(terms.offset_max);
  const double share = 1.0 / static_cast<double>(offsets.size());
  std::vector<double> trig(offsets.size(), 0.0);
  double norm_term = 0, absolute = 0;
  for (std::size_t f = 0; f < bands; ++f) {
    const std::complex<double> rotated(double{key[f]}, double{key[f + bands]});
    const auto own = rotated * unit_phase(-static_cast<double>(p) * frequencies[f]) / s;
    const std::complex<double> mean(double{query.mean_real[f]}, double{query.mean_imag[f]});
    const auto product = s * s * mean * std::conj(own);
    for (std::size_t d = 0; d < offsets.size() && !terms.disable_trig; ++d) {
      const double distance = static_cast<double>(t) - static_cast<double>(p) + offsets[d];
      const double term = (product * unit_phase(distance * frequencies[f])).real();
      trig[d] += term;
      absolute += std::abs(term) * share;
    }
    const double norm = s * s * norm_weight(query, f, terms) * modulus(own.real(), own.imag());
    norm_term += norm;
    absolute += std::abs(norm);
  }
  if (magnitude != nullptr) *magnitude = absolute;
  if (terms.offsets == OffsetAggregation::max)
    return *std::max_element(trig.begin(), trig.end()) + norm_term;
  double sum = 0;
  for (const double value : trig)
    sum += value;
  return sum * share + norm_term;
}

TriAttentionPhases::TriAttentionPhases(std::span<const double> frequencies,
                                       const TriAttentionTerms& terms, std::uint32_t t)
    : terms_(terms), bands_(frequencies.size()) {
  const std::vector<std::uint32_t> offsets = offsets_up_to(terms.offset_max);
  const bool mean = terms.offsets == OffsetAggregation::mean;
  rows_ = terms.disable_trig ? 0 : mean ? 1 : offsets.size();
  cosine_.assign(rows_ * bands_, 0.0);
  sine_.assign(rows_ * bands_, 0.0);
  if (rows_ == 0) return;
  const double share = mean ? 1.0 / static_cast<double>(offsets.size()) : 1.0;
  for (std::size_t d = 0; d < offsets.size(); ++d)
    for (std::size_t f = 0; f < bands_; ++f) {
      const auto phase = unit_phase((static_cast<double>(t) + offsets[d]) * frequencies[f]);
      const std::size_t cell = (mean ? 0 : d) * bands_ + f;
      cosine_[cell] += phase.real() * share;
      sine_[cell] += phase.imag() * share;
    }
}

void TriAttentionPhases::make_weights(const HeadStatistics& query,
                                      std::span<double> weights) const {
  const double s = terms_.rotary_scaling;
  for (std::size_t f = 0; f < bands_; ++f) {
    const double re = double{query.mean_real[f]}, im = double{query.mean_imag[f]};
    for (std::size_t row = 0; row < rows_; ++row) {
      const double c = cosine_[row * bands_ + f], z = sine_[row * bands_ + f];
      double* const at = weights.data() + 2 * row * bands_;
      at[f] = s * (re * c - im * z);
      at[f + bands_] = s * (re * z + im * c);
    }
    weights[2 * rows_ * bands_ + f] = s * norm_weight(query, f, terms_);
  }
}

namespace {

/// Four partial sums in a fixed order, so that compilers may use vectors without changing a bit.
double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t j = 0; j < 4; ++j)
      sums[j] += a[i + j] * b[i + j];
  for (; i < n; ++i)
    sums[i % 4] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

double TriAttentionPhases::score(std::span<const double> weights, std::span<const double> key,
                                 std::span<const double> moduli) const {
  const double norm_term = dot(weights.data() + 2 * rows_ * bands_, moduli.data(), bands_);
  if (rows_ == 0) return norm_term;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows_; ++row)
    best = std::max(best, dot(weights.data() + 2 * row * bands_, key.data(), 2 * bands_));
  return best + norm_term;
}

}  // namespace vacancy
