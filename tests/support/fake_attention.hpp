// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/attention/attention.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// A made attention: every weight and every vector entry is a draw of its own coordinates, so any
/// part can be recomputed in a test without the rest. Rows sum to 1; a few tokens draw ten times
/// the attention of the others, so that scores differ.
class FakeAttention final : public SequenceAttention {
 public:
  FakeAttention(const AttentionShape& shape, std::uint32_t length, std::uint64_t seed = 1)
      : shape_(shape), key_(philox_key(seed, Stream::attention)), length_(length) {}

  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t length) override { length_ = length > length_ ? length : length_; }
  std::uint32_t length() const override { return length_; }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += raw_weight(layer, query_head, query, static_cast<std::uint32_t>(j));
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(
          raw_weight(layer, query_head, query, static_cast<std::uint32_t>(j)) / sum);
  }

  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    vectors(1, layer, kv_head, first, out);
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    vectors(2, layer, query_head, first, out);
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    vectors(3, layer, kv_head, first, out);
  }

 private:
  double raw_weight(std::uint32_t layer, std::uint32_t head, std::uint32_t query,
                    std::uint32_t token) const {
    const auto draw = philox4x32_10({layer, head, query, token}, key_)[0];
    const auto heavy = philox4x32_10({layer, head, 0xffffffff, token}, key_)[0] % 8 == 0;
    return (unit_interval(draw) + 0.01) * (heavy ? 10 : 1);
  }

  /// Entries in [-1, 1).
  void vectors(std::uint32_t kind, std::uint32_t layer, std::uint32_t head, std::uint32_t first,
               std::span<float> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto token = first + static_cast<std::uint32_t>(i / shape_.head_dim);
      const auto channel = static_cast<std::uint32_t>(i % shape_.head_dim);
      const auto draw = philox4x32_10({kind << 16 | layer, head, token, channel}, key_)[1];
      out[i] = static_cast<float>(2 * unit_interval(draw) - 1);
    }
  }

  AttentionShape shape_;
  PhiloxKey key_;
  std::uint32_t length_;
};

}  // namespace vacancy::test
