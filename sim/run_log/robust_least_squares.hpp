// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace vacancy {

/// Rows of "sum of factors times unknowns = observed", in nanoseconds.
struct LinearRows {
  explicit LinearRows(std::size_t unknowns) : unknowns_(unknowns) {}

  void add(std::span<const double> factors, double observed);
  std::size_t unknowns() const { return unknowns_; }
  std::size_t count() const { return observed_.size(); }
  std::span<const double> factors(std::size_t row) const {
    return std::span(factors_).subspan(row * unknowns_, unknowns_);
  }
  double observed(std::size_t row) const { return observed_[row]; }
  double residual(std::size_t row, std::span<const double> values) const;

 private:
  std::size_t unknowns_;
  std::vector<double> factors_, observed_;
};

/// What is believed of an unknown before any row is seen.
struct Prior {
  std::size_t unknown = 0;
  double value = 0, deviation = 1;
};

struct RobustFit {
  std::vector<double> values;
  std::vector<double> weights;  // of the rows, 1 or less
};

/// Least squares with Huber weights: a row whose residual exceeds three times the median counts
/// less, in proportion. Nothing if rows and priors leave an unknown open.
std::optional<RobustFit> robust_least_squares(const LinearRows& rows,
                                              std::span<const Prior> priors);

}  // namespace vacancy
