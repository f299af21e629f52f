// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "gpu_backend/kernels/row_operations.hpp"

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

/// Less the mean of [begin, end), over their standard deviation, 1e-6 at least.
Vector normalized(const Vector& row, Eigen::Index begin, Eigen::Index end);

/// The mean or the maximum within kernel / 2 of each; a mean divides by `kernel` at the ends too.
Vector pooled(const Vector& values, int kernel, bool maximum);

/// TriAttention's weights for a mean query of complex bands when the next token has `position`: re,
/// im of each distance, or of their mean, as rows.
Matrix triattention_weights(const Eigen::VectorXcd& mean_query, const Vector& frequencies,
                            const std::vector<double>& distances, bool mean, double position);
/// TriAttention's fused score; rows of `re` and `im` are distances.
Weighed triattention(const Matrix& keys, const Matrix& re, const Matrix& im, const Vector& w);

/// Minus the length of each key, Knorm's way.
Vector key_norms(const Matrix& keys);
/// The length of each value over that of its key, PagedEviction's way.
Vector norm_ratios(const Matrix& keys, const Matrix& values);

/// Mean over rows of the cosine of keys, R-KV's way: of each row without its last column above the
/// threshold; if there is none, without the first or whole.
Vector key_redundancy(const Matrix& keys, double threshold, bool first_if_none);

/// Minus the cosine between each key and the sum of all keys of length 1, KeyDiff's way.
Weighed key_difference(const Matrix& keys);

/// LagKV's shares by the rows of K, or of V: in each scored partition the softmax of the deviation
/// over channels, by their ranges in the next. 0 for rows that are not scored.
Weighed lag_shares(const Matrix& rows, int begin, int lag);
/// The rank of each share in its partition, of equal ones the first highest; `lag` where none is
/// scored. The row's number, where there are not two whole partitions.
Vector lag_ranks(const Vector& shares, int begin, int lag);

/// What a block is worth by the scores of its tokens, of which it has one at least.
double block_worth(std::vector<double> scores, BlockJoin how);

/// Indices of the k largest, ascending; ties to the lowest, NaN as -inf.
std::vector<int> top_k(std::span<const double> scores, int k);

}  // namespace vacancy::gpu::reference
