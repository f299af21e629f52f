// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/attention/attention.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

struct RandomSourceOptions {
  std::optional<std::uint32_t> head_dim;  // of the model if not set
};

/// Input without structure, on which every policy runs: each (layer, query head, query, token) has
/// an independent weight, uniform in (0, 1] before a row is divided by its sum; components of
/// queries, keys and values are independent standard normal numbers, and the output projection is
/// the identity. Weights and vectors are drawn apart: the rows are not the softmax of the vectors.
class RandomSource final : public AttentionSource {
 public:
  static const OptionTable<RandomSourceOptions>& option_table();

  RandomSource(AttentionShape shape, std::uint64_t seed);

  AttentionShape shape() const override { return shape_; }
  AttentionFeatures features() const override;
  std::uint32_t max_length() const override;
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override;

 private:
  AttentionShape shape_;
  std::uint64_t seed_;
};

}  // namespace vacancy
