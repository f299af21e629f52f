// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/calibration.hpp"
#include "sim/attention/draws.hpp"

namespace vacancy {

/// How one head's pre-RoPE queries are drawn so that both calibrated moments of every band hold
/// exactly in expectation: E[q_f] = the complex mean, E|q_f| = the mean modulus m_f.
///
/// With R_f = |E[q_f]| / m_f (the mean resultant length) and c_f = E[q_f] / |E[q_f]| (1 if the mean
/// is 0):
///
///   q_f = m_f · A · c_f · z,   A uniform on [1 - spread, 1 + spread],
///   z = (w + R_f) / (1 + R_f·w),   w uniform on the unit circle, independent of A.
///
/// |z| = 1, and z is an analytic function of w in the unit disc, so its mean over the circle is its
/// value at 0, R_f: the angle follows a wrapped Cauchy law of mean resultant length R_f. R_f = 0
/// gives a uniform angle; R_f is capped at 1 - 10^-6, beyond which the angle is constant for any
/// purpose; m_f = 0 gives 0. spread = 0.9 makes the modulus vary as that of a complex normal number
/// does (coefficient of variation 0.52). Bands, heads and tokens are independent of each other,
/// which in a real model they are not.
class QueryLaw {
 public:
  QueryLaw(const HeadStatistics& statistics, double spread);

  /// E of the squared Euclidean norm of a query.
  double mean_square() const { return mean_square_; }

  /// Draws the query of `token` in the "half" pairing, 2F floats, before rotation.
  void draw(const AttentionDraws& draws, std::uint32_t set, std::uint32_t token,
            std::span<float> out) const;

 private:
  double spread_;
  double mean_square_ = 0.0;
  std::vector<double> real_, imag_;    // m_f · c_f
  std::vector<double> concentration_;  // R_f
};

}  // namespace vacancy
