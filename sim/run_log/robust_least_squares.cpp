// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/robust_least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

constexpr int max_iterations = 50;
constexpr double huber_medians = 3;
/// Residuals up to here are rounding (of stamps in nanoseconds) and never lose weight.
constexpr double rounding = 1;
/// Below this share of the largest, a direction of the unknowns counts as open.
constexpr double rank_threshold = 1e-10;

using Index = Eigen::Index;

template <class Vector>
auto& at(Vector& vector, std::size_t i) {
  return vector[static_cast<Index>(i)];
}

class Solver {
 public:
  Solver(const LinearRows& rows, std::span<const Prior> priors)
      : rows_(rows),
        priors_(priors),
        scale_(static_cast<Index>(rows.unknowns())),
        matrix_(static_cast<Index>(rows.count() + priors.size()),
                static_cast<Index>(rows.unknowns())),
        right_(matrix_.rows()) {
    // Unknowns in units in which their columns have length 1, or tokens squared would drown steps.
    scale_.setZero();
    for (std::size_t row = 0; row < rows.count(); ++row)
      for (std::size_t i = 0; i < rows.unknowns(); ++i)
        at(scale_, i) += rows.factors(row)[i] * rows.factors(row)[i];
    for (const Prior& prior : priors)
      at(scale_, prior.unknown) += 1;
    for (Index i = 0; i < scale_.size(); ++i)
      scale_[i] = scale_[i] > 0 ? 1 / std::sqrt(scale_[i]) : 1;
  }

  /// False if an unknown is open.
  bool solve(std::span<const double> weights, double deviation, std::vector<double>& values) {
    Index line = 0;
    for (std::size_t row = 0; row < rows_.count(); ++row, ++line) {
      const double root = std::sqrt(weights[row]);
      for (std::size_t i = 0; i < rows_.unknowns(); ++i)
        matrix_(line, static_cast<Index>(i)) = root * rows_.factors(row)[i] * at(scale_, i);
      right_[line] = root * rows_.observed(row);
    }
    for (const Prior& prior : priors_) {
      const double root = deviation / prior.deviation;
      matrix_.row(line).setZero();
      matrix_(line, static_cast<Index>(prior.unknown)) = root * at(scale_, prior.unknown);
      right_[line++] = root * prior.value;
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix_.rows(), matrix_.cols());
    qr.setThreshold(rank_threshold);
    qr.compute(matrix_);
    if (qr.rank() < matrix_.cols()) return false;
    const Eigen::VectorXd solution = qr.solve(right_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = at(solution, i) * at(scale_, i);
    return true;
  }

 private:
  const LinearRows& rows_;
  std::span<const Prior> priors_;
  Eigen::VectorXd scale_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd right_;
};

double median_residual(const LinearRows& rows, std::span<const double> values) {
  std::vector<double> sizes;
  for (std::size_t row = 0; row < rows.count(); ++row)
    sizes.push_back(std::abs(rows.residual(row, values)));
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// The deviation of a row, outliers counting as little as they do in the fit.
double row_deviation(const LinearRows& rows, const RobustFit& fit) {
  double squares = 0, weights = 0;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const double residual = rows.residual(row, fit.values);
    squares += fit.weights[row] * residual * residual;
    weights += fit.weights[row];
  }
  return weights > 0 ? std::sqrt(squares / weights) : 0;
}

}  // namespace

void LinearRows::add(std::span<const double> factors, double observed) {
  VACANCY_ASSERT(factors.size() == unknowns_, "a factor for each unknown");
  factors_.insert(factors_.end(), factors.begin(), factors.end());
  observed_.push_back(observed);
}

double LinearRows::residual(std::size_t row, std::span<const double> values) const {
  double sum = -observed_[row];
  for (std::size_t i = 0; i < unknowns_; ++i)
    sum += factors(row)[i] * values[i];
  return sum;
}

std::optional<RobustFit> robust_least_squares(const LinearRows& rows,
                                              std::span<const Prior> priors) {
  RobustFit fit;
  fit.values.assign(rows.unknowns(), 0);
  fit.weights.assign(rows.count(), 1);
  Solver solver(rows, priors);
  // Before residuals are known, a prior weighs as much as a row.
  double deviation = priors.empty() ? 1 : priors.front().deviation;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!solver.solve(fit.weights, deviation, fit.values)) return std::nullopt;
    const double median = median_residual(rows, fit.values);
    double moved = 0;
    for (std::size_t row = 0; row < rows.count(); ++row) {
      const double size = std::abs(rows.residual(row, fit.values));
      const double limit = std::max(huber_medians * median, rounding);
      const double weight = size <= limit ? 1 : limit / size;
      moved = std::max(moved, std::abs(weight - fit.weights[row]));
      fit.weights[row] = weight;
    }
    const double before = deviation;
    deviation = row_deviation(rows, fit);
    if (!priors.empty()) moved = std::max(moved, std::abs(deviation - before) / before);
    constexpr double settled = 1e-6;
    if (!(moved > settled)) break;
  }
  return fit;
}

}  // namespace vacancy
