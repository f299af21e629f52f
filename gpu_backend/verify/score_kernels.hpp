// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpu_backend/launch/buffer.hpp"
#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/keep_set_check.hpp"
#include "sim/attention/attention.hpp"
#include "sim/eviction/score_definition.hpp"

namespace vacancy::verify {

/// One set's scores, of each live token that is not in flight.
struct KernelScores {
  gpu::Buffer<float> scores;
  /// How far a score of the simulator may be from the kernels' (docs/gpu.md).
  double absolute = 0, relative = 0;
  /// How far each token's own may be besides; empty: not at all.
  std::vector<double> doubts = {};

  double error(double score) const { return absolute + relative * std::abs(score); }
};

/// A policy's scores by the kernels, from the keys and queries that the policy saw, in FP32.
class ScoreKernels {
 public:
  /// What the definition points to outlives the object.
  ScoreKernels(gpu::Device& device, const ScoreDefinition& definition)
      : device_(device), definition_(definition) {}

  /// Of the set that `choice` is about, when `attention` has `next_position` tokens.
  KernelScores score(const SequenceAttention& attention, SequenceId id, const SetChoice& choice,
                     std::uint32_t next_position);
  void forget(SequenceId id) { accumulated_.erase(id); }
  /// Pairs of a key and a query head's query or weights that were scored.
  std::uint64_t work() const { return work_; }

 private:
  using Tokens = std::span<const std::uint32_t>;
  /// The attention that the queries of the uncompressed run paid so far.
  struct Accumulated {
    std::uint32_t queries = 0;
    std::vector<std::vector<double>> sums;  // [layer * KV heads + head][token]
    double largest_logit = 0;
  };

  KernelScores score(const KeyNormScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const KeyDifferenceScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score(const LagRankScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const WindowScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const AccumulatedScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score(const TriAttentionScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  /// Adds to column_sums, [query head][tokens], what `queries` of one layer pay to `keys`.
  void attend(const gpu::CachedRows& keys, const gpu::SlotPositions& slots, const float* queries,
              std::uint32_t first_query, std::uint32_t count, int query_heads, double scale,
              bool accumulate, std::size_t tokens, float* column_sums);
  void accumulate(Accumulated& sums, const SequenceAttention& attention, std::uint32_t length);
  /// Rows [layer][KV head][member][tokens]; what is not joined stays a row of its own.
  gpu::Buffer<float> join(const gpu::Buffer<float>& rows, const HeadRange& heads, int members,
                          std::size_t tokens, gpu::Join over_members, gpu::Join over_heads,
                          gpu::Join over_layers);

  gpu::Device& device_;
  ScoreDefinition definition_;
  std::map<SequenceId, Accumulated> accumulated_;
  std::uint64_t work_ = 0;
};

}  // namespace vacancy::verify
