// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_attention.hpp"

#include <algorithm>

namespace vacancy::test {
namespace {

constexpr std::uint32_t keys_kind = 0, queries_kind = 1, values_kind = 2;

/// Rows of a head lie behind one another, row q having q + 1 entries.
std::size_t row_start(std::uint32_t query) {
  return std::size_t{query} * (query + 1) / 2;
}

}  // namespace

FakeAttention::FakeAttention(const AttentionShape& shape, std::uint32_t length, std::uint64_t seed)
    : shape_(shape),
      key_(philox_key(seed, Stream::attention)),
      length_(length),
      rows_per_head_(row_start(length)) {
  weights_.reserve(shape.layers * shape.query_heads * rows_per_head_);
  for (std::uint32_t head = 0; head < shape.layers * shape.query_heads; ++head)
    for (std::uint32_t query = 0; query < length; ++query)
      add_row(head, query);
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    const std::uint32_t heads = kind == queries_kind ? shape.query_heads : shape.kv_heads;
    for (std::uint32_t i = 0; i < shape.layers * heads * length * shape.head_dim; ++i)
      vectors_[kind].push_back(static_cast<float>(2 * draw(kind, i, 0, 1) - 1));
  }
}

void FakeAttention::weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                            std::span<float> row) const {
  const std::size_t head = layer * shape_.query_heads + query_head;
  std::copy_n(
      weights_.begin() + static_cast<std::ptrdiff_t>(head * rows_per_head_ + row_start(query)),
      row.size(), row.begin());
}

void FakeAttention::keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                         std::span<float> out) const {
  copy(keys_kind, layer * shape_.kv_heads + kv_head, first, out);
}

void FakeAttention::queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                            std::span<float> out) const {
  copy(queries_kind, layer * shape_.query_heads + query_head, first, out);
}

void FakeAttention::values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                           std::span<float> out) const {
  copy(values_kind, layer * shape_.kv_heads + kv_head, first, out);
}

void FakeAttention::output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                                 std::span<double> norms) const {
  for (double& norm : norms)
    norm = draw(layer * shape_.query_heads + query_head, 0xfffffffd, first++, 0);
}

void FakeAttention::reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                                  std::span<double> maxima) const {
  for (std::uint32_t j = 0; j < maxima.size(); ++j)
    maxima[j] = draw(layer * shape_.kv_heads + kv_head, 0xfffffffe, j, 0);
}

double FakeAttention::draw(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                           std::uint32_t d) const {
  return unit_interval(philox4x32_10({a, b, c, d}, key_)[0]);
}

void FakeAttention::add_row(std::uint32_t head, std::uint32_t query) {
  std::vector<double> row(query + 1);
  double sum = 0;
  for (std::uint32_t token = 0; token <= query; ++token) {
    const bool heavy = draw(head, 0xffffffff, token, 0) < 0.125;
    row[token] = (draw(head, query, token, 0) + 0.01) * (heavy ? 10 : 1);
    sum += row[token];
  }
  for (const double weight : row)
    weights_.push_back(static_cast<float>(weight / sum));
}

void FakeAttention::copy(std::uint32_t kind, std::uint32_t head, std::uint32_t first,
                         std::span<float> out) const {
  const std::size_t start = (std::size_t{head} * length_ + first) * shape_.head_dim;
  std::copy_n(vectors_[kind].begin() + static_cast<std::ptrdiff_t>(start), out.size(), out.begin());
}

}  // namespace vacancy::test
