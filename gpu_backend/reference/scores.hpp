// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace vacancy::gpu::reference {

/// Rows are tokens, columns elements of a head.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// A result, and for each number the sum of the magnitudes of its terms: what rounding is measured
/// against.
struct Weighed {
  Vector value, magnitude;
};

/// softmax over the visible tokens of (k q * scale), times v. `visible`: of each token.
Weighed attention(const Matrix& keys, const Matrix& values, const Vector& query, double scale,
                  const std::vector<bool>& visible);

/// Weights of each query (a row) over the tokens: visible(query, token) decides. A query that sees
/// nothing has none.
Matrix attention_weights(const Matrix& logits, const Eigen::Array<bool, -1, -1>& visible);

/// TriAttention's fused score; rows of `re` and `im` are distances.
Weighed triattention(const Matrix& keys, const Matrix& re, const Matrix& im, const Vector& w);

/// Mean over rows of the cosine of keys, R-KV's way.
Vector key_redundancy(const Matrix& keys, double threshold);

/// Minus the cosine between each key and the sum of all keys of length 1, KeyDiff's way.
Weighed key_difference(const Matrix& keys);

/// LagKV's shares by the rows of K, or of V: in each scored partition the softmax of the deviation
/// over channels, by their ranges in the next. 0 for rows that are not scored.
Weighed lag_shares(const Matrix& rows, int begin, int lag);

/// Indices of the k largest, ascending; ties to the lowest, NaN as -inf.
std::vector<int> top_k(std::span<const double> scores, int k);

}  // namespace vacancy::gpu::reference
