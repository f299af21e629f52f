// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpu_backend/launch/buffer.hpp"
#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/attention_rows.hpp"
#include "gpu_backend/verify/keep_set_check.hpp"
#include "gpu_backend/verify/kernel_scores.hpp"
#include "sim/attention/attention.hpp"
#include "sim/eviction/score_definition.hpp"

namespace vacancy::verify {

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
  /// The attention that queries of the uncompressed run paid so far.
  struct Received {
    gpu::reference::Vector by_kernels, in_double;  // of each token
  };
  struct Accumulated {
    std::uint32_t queries = 0;     // up to which they are counted
    std::vector<Received> planes;  // [layer * KV heads + head]
    double largest_logit = 0;
  };

  KernelScores score(const KeyNormScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const NormRatioScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const KeyDifferenceScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score(const LagRankScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const WindowScores&, const SequenceAttention&, SequenceId, const SetChoice&,
                     std::uint32_t next_position);
  KernelScores score(const AccumulatedScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score(const RedundancyScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score(const TriAttentionScores&, const SequenceAttention&, SequenceId,
                     const SetChoice&, std::uint32_t next_position);
  KernelScores score_rows(gpu::RowStatistic statistic, const SequenceAttention& attention,
                          const SetChoice& choice);
  /// Runs the operation, whose workspace and first position it fills in.
  void attend(gpu::QueryAttention operation, std::uint32_t first_query);
  /// Each row's first `end` tokens with their neighbours, the others 0.
  gpu::Buffer<float> pool(gpu::Buffer<float> rows, std::size_t tokens, std::size_t end,
                          const WindowOptions& options);
  /// What queries [from, to) of a layer pay to each of its first `tokens` tokens: [KV head][token].
  std::vector<float> received(const SequenceAttention& attention, const KeyBlocks& keys,
                              const HeadRange& heads, std::uint32_t from, std::uint32_t to,
                              std::size_t tokens, double& largest_logit);
  void accumulate(Accumulated& sums, const MemoryOptions& memory,
                  const SequenceAttention& attention, std::uint32_t length);
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
