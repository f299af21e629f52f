// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/reference/scores.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace vacancy::gpu::reference {

Weighed attention(const Matrix& keys, const Matrix& values, const Vector& query, double scale,
                  const std::vector<bool>& visible) {
  Vector weights = Vector::Zero(keys.rows());
  const Vector logits = keys * query * scale;
  double largest = -HUGE_VAL;
  for (Eigen::Index i = 0; i < keys.rows(); ++i)
    if (visible[static_cast<std::size_t>(i)]) largest = std::max(largest, logits[i]);
  for (Eigen::Index i = 0; i < keys.rows(); ++i)
    if (visible[static_cast<std::size_t>(i)]) weights[i] = std::exp(logits[i] - largest);
  const double total = weights.sum();
  if (total > 0) weights /= total;
  return {values.transpose() * weights, values.cwiseAbs().transpose() * weights};
}

Matrix attention_weights(const Matrix& logits, const Eigen::Array<bool, -1, -1>& visible) {
  Matrix weights = Matrix::Zero(logits.rows(), logits.cols());
  for (Eigen::Index q = 0; q < logits.rows(); ++q) {
    double largest = -HUGE_VAL, total = 0;
    for (Eigen::Index i = 0; i < logits.cols(); ++i)
      if (visible(q, i)) largest = std::max(largest, logits(q, i));
    for (Eigen::Index i = 0; i < logits.cols(); ++i)
      if (visible(q, i)) total += weights(q, i) = std::exp(logits(q, i) - largest);
    if (total > 0) weights.row(q) /= total;
  }
  return weights;
}

Vector normalized(const Vector& row, Eigen::Index begin, Eigen::Index end) {
  if (end <= begin) return row;
  const auto scored = row.segment(begin, end - begin).array();
  const double mean = scored.mean();
  const double deviation = std::sqrt((scored - mean).square().mean());
  return (row.array() - mean) / std::max(deviation, 1e-6);
}

Vector pooled(const Vector& values, int kernel, bool maximum) {
  Vector result(values.size());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const Eigen::Index first = std::max<Eigen::Index>(i - kernel / 2, 0);
    const Eigen::Index end = std::min<Eigen::Index>(i + kernel / 2 + 1, values.size());
    const auto near = values.segment(first, end - first);
    result[i] = maximum ? near.maxCoeff() : near.sum() / kernel;
  }
  return result;
}

Matrix triattention_weights(const Eigen::VectorXcd& mean_query, const Vector& frequencies,
                            const std::vector<double>& distances, bool mean, double position) {
  const auto count = static_cast<Eigen::Index>(distances.size());
  Eigen::MatrixXcd turned(count, mean_query.size());
  for (Eigen::Index d = 0; d < count; ++d)
    for (Eigen::Index f = 0; f < mean_query.size(); ++f)
      turned(d, f) =
          mean_query[f] *
          std::polar(1.0, (position + distances[static_cast<std::size_t>(d)]) * frequencies[f]);
  if (mean) turned = Eigen::MatrixXcd(turned.colwise().mean());
  Matrix rows(2 * turned.rows(), mean_query.size());
  for (Eigen::Index d = 0; d < turned.rows(); ++d) {
    rows.row(2 * d) = turned.row(d).real();
    rows.row(2 * d + 1) = turned.row(d).imag();
  }
  return rows;
}

Weighed triattention(const Matrix& keys, const Matrix& re, const Matrix& im, const Vector& w) {
  const Eigen::Index bands = w.size();
  const Matrix real = keys.leftCols(bands), imag = keys.rightCols(bands);
  const Matrix moduli = (real.array().square() + imag.array().square()).sqrt();
  Weighed result{moduli * w, moduli * w.cwiseAbs()};
  if (re.rows() == 0) return result;
  const Matrix trig = real * re.transpose() + imag * im.transpose();  // [token][distance]
  const Matrix sizes =
      real.cwiseAbs() * re.cwiseAbs().transpose() + imag.cwiseAbs() * im.cwiseAbs().transpose();
  result.value += trig.rowwise().maxCoeff();
  result.magnitude += sizes.rowwise().maxCoeff();
  return result;
}

Vector key_norms(const Matrix& keys) {
  return -keys.rowwise().norm();
}

Vector norm_ratios(const Matrix& keys, const Matrix& values) {
  return values.rowwise().norm().cwiseQuotient(keys.rowwise().norm());
}

Vector key_redundancy(const Matrix& keys, double threshold, bool first_if_none) {
  Matrix unit = keys;
  for (Eigen::Index i = 0; i < unit.rows(); ++i)
    unit.row(i) /= std::max(unit.row(i).norm(), 1e-8);
  Vector sum = Vector::Zero(unit.rows());
  for (Eigen::Index row = 0; row < unit.rows(); ++row) {
    Vector cosine = unit * unit.row(row).transpose();
    cosine[row] = 0;
    Eigen::Index last = first_if_none ? 0 : -1;
    for (Eigen::Index column = 0; column < cosine.size(); ++column)
      if (cosine[column] > threshold) last = column;
    if (last >= 0) cosine[last] = 0;
    sum += cosine;
  }
  return sum / static_cast<double>(unit.rows());
}

Weighed key_difference(const Matrix& keys) {
  Matrix unit = keys;
  for (Eigen::Index i = 0; i < unit.rows(); ++i)
    unit.row(i) /= std::max(unit.row(i).norm(), 1e-12);
  const Vector anchor = unit.colwise().sum(), sizes = unit.cwiseAbs().colwise().sum();
  const double length = std::max(anchor.norm(), 1e-12);
  return {unit * anchor / -length, unit.cwiseAbs() * sizes / length};
}

Weighed lag_shares(const Matrix& rows, int begin, int lag) {
  Weighed result{Vector::Zero(rows.rows()), Vector::Zero(rows.rows())};
  for (Eigen::Index first = begin; first + 2 * lag <= rows.rows(); first += lag) {
    const Matrix next = rows.middleRows(first + lag, lag);
    Matrix scaled = rows.middleRows(first, lag);
    for (Eigen::Index c = 0; c < rows.cols(); ++c) {
      const double low = next.col(c).minCoeff(), range = next.col(c).maxCoeff() - low;
      for (Eigen::Index i = 0; i < lag; ++i)
        scaled(i, c) = range > 0 ? (scaled(i, c) - low) / range : 0;
    }
    const Matrix apart = scaled.colwise() - Vector(scaled.rowwise().mean());
    const Vector deviation =
        (apart.rowwise().squaredNorm() / static_cast<double>(rows.cols() - 1)).cwiseSqrt();
    const Vector powers = (deviation.array() - deviation.maxCoeff()).exp();
    result.value.segment(first, lag) = powers / powers.sum();
    // An error of a deviation scales the share by e to its power; so does that of the largest.
    const double largest = scaled.cwiseAbs().maxCoeff();
    result.magnitude.segment(first, lag) = result.value.segment(first, lag) * (1 + 2 * largest);
  }
  return result;
}

Vector lag_ranks(const Vector& shares, int begin, int lag) {
  const auto count = static_cast<int>(shares.size());
  if (count - begin < 2 * lag) return Vector::LinSpaced(count, 0, count - 1);
  Vector ranks = Vector::Constant(count, lag);
  for (int first = begin; first + 2 * lag <= count; first += lag) {
    std::vector<int> order(
        static_cast<std::size_t>(lag));  // ascending, the last of equal ones first
    std::iota(order.rbegin(), order.rend(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return shares[a] < shares[b]; });
    for (int rank = 0; rank < lag; ++rank)
      ranks[order[static_cast<std::size_t>(rank)]] = rank;
  }
  return ranks;
}

double block_worth(std::vector<double> scores, BlockJoin how) {
  std::sort(scores.rbegin(), scores.rend());
  if (how == BlockJoin::max) return scores.front();
  if (how == BlockJoin::top4) scores.resize(std::min<std::size_t>(scores.size(), 4));
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return how == BlockJoin::mean ? sum / static_cast<double>(scores.size()) : sum;
}

std::vector<int> top_k(std::span<const double> scores, int k) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](int i) {
    const double x = scores[static_cast<std::size_t>(i)];
    return std::isnan(x) ? -HUGE_VAL : x;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace vacancy::gpu::reference
