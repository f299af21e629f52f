// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/attention.hpp"

namespace vacancy {

/// The attention that every token received from all queries so far, per (layer, KV head), summed
/// over the query heads of the group: the state that H2O and its kin carry. A memo of a pure
/// function of (attention, length), kept because recomputing it each round is quadratic.
class AccumulatedAttention {
 public:
  explicit AccumulatedAttention(const AttentionShape& shape);

  /// Adds the queries up to `length` that are not in the sums yet; the attention has that many.
  void advance(const SequenceAttention& attention, std::uint32_t length);

  /// sums(l, h)[j]: attention received by token j; as long as the last `advance`.
  std::span<const double> sums(std::uint32_t layer, std::uint32_t kv_head) const {
    return sums_[layer * kv_heads_ + kv_head];
  }
  std::uint32_t length() const { return length_; }

 private:
  std::uint32_t kv_heads_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<double>> sums_;
};

}  // namespace vacancy
