// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/attention_rows.hpp"

#include <algorithm>
#include <cmath>

namespace vacancy::verify {

namespace {

constexpr int slots = 16;
constexpr int unit_floats = 4;

int kv_heads(const HeadRange& heads) {
  return static_cast<int>(heads.last_head - heads.first_head);
}

}  // namespace

std::optional<int> padded_head_dim(std::uint32_t head_dim) {
  if (head_dim % 2 == 0)
    for (const int padded : {64, 128, 256})
      if (head_dim <= static_cast<std::uint32_t>(padded)) return padded;
  return std::nullopt;
}

void pad_halves(std::span<const float> row, std::span<float> padded) {
  const std::size_t half = row.size() / 2;
  std::copy_n(row.begin(), half, padded.begin());
  std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(half), half,
              padded.begin() + static_cast<std::ptrdiff_t>(padded.size() / 2));
}

double longest(std::span<const float> rows, std::size_t row) {
  double most = 0;
  for (std::size_t at = 0; at < rows.size(); at += row) {
    double squares = 0;
    for (const float x : rows.subspan(at, row))
      squares += double{x} * double{x};
    most = std::max(most, squares);
  }
  return std::sqrt(most);
}

gpu::reference::Matrix rows_in_double(const SequenceAttention& attention, RowKind kind,
                                      std::uint32_t layer, std::uint32_t kv_head,
                                      std::span<const std::uint32_t> tokens) {
  std::vector<float> row(attention.shape().head_dim);
  gpu::reference::Matrix rows(static_cast<Eigen::Index>(tokens.size()),
                              static_cast<Eigen::Index>(row.size()));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (kind == RowKind::key)
      attention.keys(layer, kv_head, tokens[i], row);
    else
      attention.values(layer, kv_head, tokens[i], row);
    for (std::size_t d = 0; d < row.size(); ++d)
      rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(d)) = double{row[d]};
  }
  return rows;
}

gpu::reference::Matrix queries_in_double(const SequenceAttention& attention, std::uint32_t layer,
                                         std::uint32_t query_head, std::uint32_t first,
                                         std::uint32_t count) {
  std::vector<float> rows(std::size_t{count} * attention.shape().head_dim);
  attention.queries(layer, query_head, first, rows);
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Floats>(rows.data(), count, attention.shape().head_dim).cast<double>();
}

KeyBlocks::KeyBlocks(gpu::Device& device, const SequenceAttention& attention, std::uint32_t layer,
                     const HeadRange& heads, std::span<const std::uint32_t> tokens,
                     bool with_values)
    : kinds_(with_values ? 2 : 1),
      heads_(kv_heads(heads)),
      head_dim_(padded_head_dim(attention.shape().head_dim).value()),
      blocks_((static_cast<int>(tokens.size()) + slots - 1) / slots) {
  const std::size_t dim = attention.shape().head_dim, padded = static_cast<std::size_t>(head_dim_);
  const auto planes = static_cast<std::size_t>(kinds_ * heads_);
  std::vector<float> pool(static_cast<std::size_t>(blocks_) * planes * slots * padded), rows;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const bool values = plane >= static_cast<std::size_t>(heads_);
    const auto head =
        heads.first_head + static_cast<std::uint32_t>(plane % static_cast<std::size_t>(heads_));
    for (std::size_t first = 0, end = 0; first < tokens.size(); first = end) {
      while (end < tokens.size() && tokens[end] - tokens[first] == end - first)
        ++end;
      rows.resize((end - first) * dim);
      if (values) {
        attention.values(layer, head, tokens[first], rows);
      } else {
        attention.keys(layer, head, tokens[first], rows);
        longest_key_ = std::max(longest_key_, longest(rows, dim));
      }
      for (std::size_t i = first; i < end; ++i) {
        // The table's last block comes first in memory.
        const std::size_t block = static_cast<std::size_t>(blocks_) - 1 - i / slots;
        const std::size_t row = (block * planes + plane) * slots + i % slots;
        pad_halves(std::span(rows).subspan((i - first) * dim, dim),
                   std::span(pool).subspan(row * padded, padded));
      }
    }
  }
  std::vector<std::int32_t> table(static_cast<std::size_t>(blocks_));
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = blocks_ - 1 - static_cast<std::int32_t>(i);
  const auto in_last = static_cast<std::int32_t>((tokens.size() + slots - 1) % slots + 1);
  pool_ = gpu::Buffer<float>(device, pool);
  indptr_ = gpu::Buffer<std::int32_t>(device, std::vector<std::int32_t>{0, blocks_});
  indices_ = gpu::Buffer<std::int32_t>(device, table);
  last_page_len_ = gpu::Buffer<std::int32_t>(device, std::vector<std::int32_t>{in_last});
}

gpu::CachedRows KeyBlocks::rows() const {
  const int units = head_dim_ / unit_floats;
  gpu::PoolLayout layout;
  layout.kinds = kinds_;
  layout.heads = heads_;
  layout.slots = slots;
  layout.row_units = units;
  layout.per_slot = units;
  layout.per_head = std::int64_t{slots} * units;
  layout.per_kind = heads_ * layout.per_head;
  layout.block = kinds_ * layout.per_kind;
  return {.pool = {pool_.data(), layout},
          .element = gpu::ElementType::fp32,
          .tables = {.indptr = indptr_.data(),
                     .indices = indices_.data(),
                     .last_page_len = last_page_len_.data(),
                     .requests = 1},
          .head_dim = head_dim_};
}

QueryRows::QueryRows(gpu::Device& device, const SequenceAttention& attention, std::uint32_t layer,
                     const HeadRange& heads, std::uint32_t first, std::uint32_t count) {
  const AttentionShape& shape = attention.shape();
  const std::size_t dim = shape.head_dim,
                    padded = static_cast<std::size_t>(padded_head_dim(shape.head_dim).value());
  const std::uint32_t first_head = heads.first_head * shape.group();
  const std::size_t query_heads = std::size_t{heads.last_head} * shape.group() - first_head;
  std::vector<float> rows(query_heads * count * padded), queries(count * dim);
  for (std::size_t head = 0; head < query_heads; ++head) {
    attention.queries(layer, first_head + static_cast<std::uint32_t>(head), first, queries);
    longest_query = std::max(longest_query, longest(queries, dim));
    for (std::size_t i = 0; i < count; ++i)
      pad_halves(std::span(queries).subspan(i * dim, dim),
                 std::span(rows).subspan((head * count + i) * padded, padded));
  }
  data = gpu::Buffer<float>(device, rows);
}

}  // namespace vacancy::verify
