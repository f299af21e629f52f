// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// A made attention: every weight and every vector entry is a draw of its own coordinates. Rows sum
/// to 1; one token in eight draws ten times the attention of the others, so that scores differ.
class FakeAttention final : public SequenceAttention {
 public:
  FakeAttention(const AttentionShape& shape, std::uint32_t length, std::uint64_t seed = 1);

  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return length_; }

  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override;
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override;
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override;
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override;
  void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                    std::span<double> norms) const override;

  void reread(std::uint32_t) override {}
  void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                     std::span<double> maxima) const override;

 private:
  double draw(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) const;
  void add_row(std::uint32_t head, std::uint32_t query);
  void copy(std::uint32_t kind, std::uint32_t head, std::uint32_t first,
            std::span<float> out) const;

  AttentionShape shape_;
  PhiloxKey key_;
  std::uint32_t length_;
  std::size_t rows_per_head_ = 0;
  std::vector<float> weights_;
  std::vector<float> vectors_[3];  // keys, queries, values
};

}  // namespace vacancy::test
