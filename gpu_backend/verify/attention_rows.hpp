// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu_backend/kernels/score_operations.hpp"
#include "gpu_backend/launch/buffer.hpp"
#include "gpu_backend/reference/scores.hpp"
#include "gpu_backend/verify/row_contents.hpp"
#include "sim/attention/attention.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy::verify {

/// Elements of the heads that kernels read in place of heads of `head_dim`: zeros behind each half,
/// which change no norm, no product and no rotary pair. Nothing for odd and for longer ones.
std::optional<int> padded_head_dim(std::uint32_t head_dim);
/// The halves of `row` into those of `padded`, whose other elements are zero already.
void pad_halves(std::span<const float> row, std::span<float> padded);

/// What the last rows have at most.
double longest(std::span<const float> rows, std::size_t row);

/// Rows of some tokens of a (layer, KV head), in double precision.
gpu::reference::Matrix rows_in_double(const SequenceAttention& attention, RowKind kind,
                                      std::uint32_t layer, std::uint32_t kv_head,
                                      std::span<const std::uint32_t> tokens);

/// Queries [first, first + count) of a query head.
gpu::reference::Matrix queries_in_double(const SequenceAttention& attention, std::uint32_t layer,
                                         std::uint32_t query_head, std::uint32_t first,
                                         std::uint32_t count);

/// Keys of some tokens in one layer, and values if asked for, as floats in blocks of 16 slots,
/// token by token.
class KeyBlocks {
 public:
  /// KV heads as in `heads`, whose layers do not matter.
  KeyBlocks(gpu::Device& device, const SequenceAttention& attention, std::uint32_t layer,
            const HeadRange& heads, std::span<const std::uint32_t> tokens,
            bool with_values = false);

  gpu::CachedRows rows() const;
  double longest_key() const { return longest_key_; }

 private:
  int kinds_, heads_, head_dim_, blocks_;
  double longest_key_ = 0;
  gpu::Buffer<float> pool_;
  gpu::Buffer<std::int32_t> indptr_, indices_, last_page_len_;
};

/// Queries [first, first + count) of the query heads of those KV heads: [head][query][element].
struct QueryRows {
  QueryRows(gpu::Device& device, const SequenceAttention& attention, std::uint32_t layer,
            const HeadRange& heads, std::uint32_t first, std::uint32_t count);

  gpu::Buffer<float> data;
  double longest_query = 0;
};

}  // namespace vacancy::verify
