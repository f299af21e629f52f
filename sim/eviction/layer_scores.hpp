// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/eviction/sequence_state.hpp"

namespace vacancy {

/// How a layer's observations become the worth of a token.
struct LayerScoreOptions {
  /// Last queries of the prompt that count; 0 for all of them.
  std::uint32_t prompt_window = 0;
  /// A token gets the largest value of so many, itself and those behind it.
  std::uint32_t pooling = 1;
  /// Of so many last observations the mean, pooled then; 0 for the sum of all, each pooled before.
  std::uint32_t memory = 0;
};

/// Attention received by each token of a layer, summed over its heads, as OpenVINO GenAI keeps it
/// (cache_eviction.cpp, EvictionScoreManager). The prompt's queries are one observation, each query
/// of the output is another.
class LayerScores final : public SequenceState {
 public:
  LayerScores(const AttentionShape& shape, std::uint32_t prompt_tokens,
              const LayerScoreOptions& options);

  void advance(const SequenceAttention& attention, std::uint32_t length) override;

  double score(std::uint32_t layer, std::uint32_t token) const {
    return layers_[layer].score[token];
  }
  /// How many of the queries that count could see the token.
  std::uint32_t lifetime(std::uint32_t token) const {
    return length_ - std::max(token, first_query_);
  }

 private:
  struct Layer {
    std::vector<double> score;                    // [position]
    std::vector<std::vector<double>> remembered;  // [observation % memory][position]
  };

  /// Observation 0 is the prompt's, n that of the output's n-th query.
  void observe(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t number);
  void average(Layer& layer, std::uint32_t first, std::uint32_t last);
  void add_pooled_ahead(std::span<const double> values, std::span<double> sums) const;

  LayerScoreOptions options_;
  std::uint32_t prompt_, first_query_, length_ = 0;
  std::vector<Layer> layers_;
  std::vector<double> observed_;
};

}  // namespace vacancy
