// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/policy.hpp"
#include "sim/eviction/query_statistics.hpp"
#include "sim/eviction/triattention_score.hpp"

namespace vacancy {

/// Over which tokens a row is scaled to mean 0 and deviation 1.
enum class RowScale { none, over_candidates, over_cached };

/// The scores that calibrated query heads give to the live tokens of a round, a KV head at a time:
/// the head's keys are read once for its whole group.
class TriAttentionRows {
 public:
  /// All arguments outlive the object. `rotary` says how the components of keys pair.
  TriAttentionRows(const EvictionRound& round, const Calibration& calibration,
                   const RotaryBands& rotary, const TriAttentionPhases& phases, RowScale scale,
                   SelectionScratch& scratch);

  /// The number of query heads in the KV head's group that the calibration covers.
  std::uint32_t compute(std::uint32_t layer, std::uint32_t kv_head);
  /// A row of the last `compute`, in ascending order of query heads.
  std::span<const double> row(std::uint32_t index) const {
    return rows_.subspan(index * tokens_, tokens_);
  }
  /// Room for one value a token, free for the caller.
  std::span<double> spare() const { return spare_; }

 private:
  const EvictionRound& round_;
  const Calibration& calibration_;
  const RotaryBands& rotary_;
  const TriAttentionPhases& phases_;
  RowScale scale_;
  std::uint32_t group_;
  std::size_t tokens_;
  std::vector<float>& vectors_;
  // Parts of the scratch.
  std::span<double> spare_, rows_, weights_, key_, moduli_;
};

/// How the rows of a set's heads become one value a token.
enum class RowJoin {
  max_of_all,
  mean_of_layer_maxima,  // over layers, of the maximum over the layer's rows
  mean_of_layer_means,   // layers count alike, however many of their heads have statistics
  mean_of_all,
};

/// scores[i]: the joined rows of all calibrated heads in the range, which has at least one.
void join_rows(TriAttentionRows& rows, const HeadRange& heads, RowJoin join,
               std::span<double> scores);

}  // namespace vacancy
