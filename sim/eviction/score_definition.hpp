// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/attention_memory.hpp"
#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/triattention_rows.hpp"
#include "sim/eviction/window_scores.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy {

// What a policy's scores are, for whoever computes them by other means from the same keys and
// queries. Scores of the (layer, KV head) pairs that share a set are summed, but for TriAttention.

/// -|k|.
struct KeyNormScores {};

/// |v| / |k|.
struct NormRatioScores {};

/// -cos(k, anchor), the anchor being the mean of the keys of length 1.
struct KeyDifferenceScores {
  /// The tokens from the budget on join by as many at a time, and after each step the worst leave;
  /// 0: all at once.
  std::uint32_t step = 0;
};

/// Ranks inside partitions of `lag` tokens behind the first `sinks` positions, by how K and V
/// deviate within the ranges of the next partition; summed, they are as good as ranks / lag.
struct LagRankScores {
  std::uint32_t sinks = 0, lag = 1;
};

/// The attention that queries of the uncompressed run paid so far, as the memory has it: not the
/// one of queries to come.
struct AccumulatedScores {
  MemoryOptions memory;
};

/// `lambda` times the attention that the last queries pay to the tokens before them, pooled, less
/// 1 - `lambda` times the softmax over all tokens of how much a key repeats others: the mean
/// cosine, of which each row leaves out its newest above the threshold. A group's largest logits
/// are weighed, and the mean over the queries taken.
struct RedundancyScores {
  WindowOptions options;
  double lambda = 0, threshold = 0;
};

/// TriAttention's rows, one a query head, scaled and joined. All heads have statistics.
struct TriAttentionScores {
  const Calibration* calibration = nullptr;
  std::span<const double> frequencies;
  TriAttentionTerms terms;
  RowScale scale = RowScale::none;
  RowJoin join = RowJoin::max_of_all;
};

using ScoreDefinition =
    std::variant<KeyNormScores, NormRatioScores, KeyDifferenceScores, LagRankScores, WindowScores,
                 AccumulatedScores, RedundancyScores, TriAttentionScores>;

/// How a policy that keeps whole blocks finds them.
struct BlocksByScore {
  BlockValue value;
  bool tokens_at_prompt_end = false;  // the round there chooses token by token
};

/// Whether scores come from attention weights, which not every source makes of keys and queries.
inline bool weighs_attention(const ScoreDefinition& definition) {
  return std::holds_alternative<WindowScores>(definition) ||
         std::holds_alternative<AccumulatedScores>(definition);
}

/// A policy that chooses by scores that can be defined so, tokens or whole blocks.
class DefinesScores {
 public:
  virtual ~DefinesScores() = default;

  /// What it points to belongs to the policy. Nothing where these options leave the definition.
  virtual std::optional<ScoreDefinition> score_definition(const CacheLayout& layout) const = 0;
  /// Nothing where tokens are chosen one by one.
  virtual std::optional<BlocksByScore> blocks_by_score() const { return std::nullopt; }
};

}  // namespace vacancy
