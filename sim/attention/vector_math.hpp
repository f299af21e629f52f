// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The few kernels that attention sources spend their time in. Each fixes the order of its sums, so
// results are the same bytes in every build. Eigen's own reductions (dot, sum, matrix products) are
// not used for that reason: they peel to an aligned address and split by the vector width of the
// build, so their order depends on where an array happens to lie. Element-wise Eigen expressions
// have no such freedom.

namespace vacancy {

/// Sum of a[i]·b[i], in eight running sums (i mod 8) that are joined pairwise, then the remainder
/// in ascending order.
float dot(std::span<const float> a, std::span<const float> b);

/// y = W x for W row-major [y.size(), x.size()].
void matrix_vector(std::span<const float> w, std::span<const float> x, std::span<float> y);

/// In place: exp(x - max) / sum, the sum in double.
void softmax(std::span<float> x);

/// row[j] = softmax over j of query·keys[j] / sqrt(query.size()); `keys` holds row.size() rows.
void attention_row(std::span<const float> query, std::span<const float> keys, std::span<float> row);

/// out = sum over j, ascending, of row[j] · values[j].
void weighted_sum(std::span<const float> row, std::span<const float> values, std::span<float> out);

/// The rows of `dim` floats that `indices` name, in their order, copied into `buffer`.
std::span<const float> gather_rows(std::span<const float> rows, std::size_t dim,
                                   std::span<const std::uint32_t> indices,
                                   std::vector<float>& buffer);

/// out = weight ⊙ x / sqrt(mean(x²) + epsilon).
void rms_norm(std::span<const float> x, std::span<const float> weight, float epsilon,
              std::span<float> out);

/// gate = silu(gate) ⊙ up, silu(x) = x / (1 + exp(-x)).
void swiglu(std::span<float> gate, std::span<const float> up);

}  // namespace vacancy
