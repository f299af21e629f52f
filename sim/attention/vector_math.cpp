// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/vector_math.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sim/units/error.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

constexpr std::ptrdiff_t lanes = 8;
using Lanes = Eigen::Array<float, lanes, 1>;
constexpr float lowest_exponent = -87.0f;  // exp is 1.6e-38 here: nothing beside a sum >= 1
using ArrayView = Eigen::Map<Eigen::ArrayXf>;
using ConstArrayView = Eigen::Map<const Eigen::ArrayXf>;

ArrayView view(std::span<float> x) {
  return {x.data(), std::ssize(x)};
}

ConstArrayView view(std::span<const float> x) {
  return {x.data(), std::ssize(x)};
}

float dot(const float* a, const float* b, std::ptrdiff_t n) {
  Lanes sums = Lanes::Zero();
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes)
    sums += Eigen::Map<const Lanes>(a + i) * Eigen::Map<const Lanes>(b + i);
  float sum =
      ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  for (; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// In four running sums (i mod 4), joined pairwise.
double sum(std::span<const float> x) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane)
      sums[lane] += double{x[i + lane]};
  double total = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  for (; i < x.size(); ++i)
    total += double{x[i]};
  return total;
}

}  // namespace

float dot(std::span<const float> a, std::span<const float> b) {
  VACANCY_ASSERT(a.size() == b.size(), "vectors of one length");
  return dot(a.data(), b.data(), std::ssize(a));
}

void matrix_vector(std::span<const float> w, std::span<const float> x, std::span<float> y) {
  VACANCY_ASSERT(w.size() == x.size() * y.size(), "a matrix of this shape");
  const float* row = w.data();
  for (float& out : y) {
    out = dot(row, x.data(), std::ssize(x));
    row += x.size();
  }
}

void softmax(std::span<float> x) {
  const float largest = *std::max_element(x.begin(), x.end());
  view(x) = (view(x) - largest).max(lowest_exponent);
  for (float& value : x)
    value = portable_exp(value);
  view(x) *= static_cast<float>(1.0 / sum(x));
}

void attention_row(std::span<const float> query, std::span<const float> keys,
                   std::span<float> row) {
  VACANCY_ASSERT(keys.size() == row.size() * query.size(), "one key per entry of the row");
  const float scale = 1.0f / std::sqrt(static_cast<float>(query.size()));
  matrix_vector(keys, query, row);
  view(row) *= scale;
  softmax(row);
}

void weighted_sum(std::span<const float> row, std::span<const float> values, std::span<float> out) {
  VACANCY_ASSERT(values.size() == row.size() * out.size(), "one value vector per entry of the row");
  auto sum = view(out);
  sum.setZero();
  for (std::size_t j = 0; j < row.size(); ++j)
    sum += row[j] * view(values.subspan(j * out.size(), out.size()));
}

std::span<const float> gather_rows(std::span<const float> rows, std::size_t dim,
                                   std::span<const std::uint32_t> indices,
                                   std::vector<float>& buffer) {
  buffer.resize(indices.size() * dim);
  float* out = buffer.data();
  for (const std::uint32_t index : indices)
    out = std::copy_n(rows.subspan(index * dim, dim).data(), dim, out);
  return buffer;
}

void rms_norm(std::span<const float> x, std::span<const float> weight, float epsilon,
              std::span<float> out) {
  const float mean_square = dot(x, x) / static_cast<float>(x.size());
  view(out) = view(weight) * (view(x) * (1.0f / std::sqrt(mean_square + epsilon)));
}

void swiglu(std::span<float> gate, std::span<const float> up) {
  VACANCY_ASSERT(gate.size() == up.size(), "vectors of one length");
  for (std::size_t i = 0; i < gate.size(); ++i) {
    // Beyond the clamp silu(x) is x or 0 within rounding.
    const float e = portable_exp(-std::clamp(gate[i], lowest_exponent, -lowest_exponent));
    gate[i] = gate[i] / (1.0f + e) * up[i];
  }
}

}  // namespace vacancy
