// SPDX-License-Identifier: Apache-2.0
// What scores of all kinds are made of, and how far they may be off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_backend/reference/scores.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy::verify {

using gpu::reference::Matrix;
using gpu::reference::Vector;

/// Rounding of a score's terms, in shares of the sum of their magnitudes: that of the kernels
/// (docs/gpu.md), and as much for whoever computed the other score in float.
inline constexpr double term_error = 2e-6, both_errors = 2 * term_error;
inline constexpr double float_error = 0x1.0p-24;

/// Weights below it are what exponentials leave where they underflow.
inline constexpr double least_weight = 1e-30;

/// Of sums of softmax weights over `queries` queries whose logits have terms of `largest_logit` in
/// all: a logit's error d scales its weight, and the sum of all weights, by e^d.
inline double weight_error(double largest_logit, double queries) {
  return 2 * both_errors * largest_logit + both_errors + queries * float_error;
}

inline std::size_t layers_of(const HeadRange& heads) {
  return heads.last_layer - heads.first_layer;
}
inline std::size_t kv_heads_of(const HeadRange& heads) {
  return heads.last_head - heads.first_head;
}

/// of(layer, KV head), a vector with a number a token, summed over the heads.
template <class Of>
Vector sum_over_heads(const HeadRange& heads, std::size_t tokens, Of of) {
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(tokens));
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
      sum += of(layer, head);
  return sum;
}
inline std::vector<double> numbers(const Vector& vector) {
  return {vector.begin(), vector.end()};
}

}  // namespace vacancy::verify
