// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/accumulated_attention.hpp"

namespace vacancy {

AccumulatedAttention::AccumulatedAttention(const AttentionShape& shape)
    : kv_heads_(shape.kv_heads), sums_(std::size_t{shape.layers} * shape.kv_heads) {}

void AccumulatedAttention::advance(const SequenceAttention& attention, std::uint32_t length) {
  if (length <= length_) return;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].resize(length, 0.0);
    attention.add_column_sums(static_cast<std::uint32_t>(i) / kv_heads_,
                              static_cast<std::uint32_t>(i) % kv_heads_, length_, length, sums_[i]);
  }
  length_ = length;
}

}  // namespace vacancy
