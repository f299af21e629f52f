// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "gpu_backend/verify/keep_set_check.hpp"
#include "gpu_backend/verify/score_kernels.hpp"

namespace vacancy::verify {

/// A policy's keep sets, scored by the kernels from the same keys and queries.
///
/// On the kernels' scores the simulator's selection and the kernels' are the same, token by token.
/// The simulator scores in another precision: a token that it ranks on the other side of the
/// threshold has a score within the tolerance of it, two scores being compared, each off by
/// KernelScores::error at most.
class ScoreSelection final : public KeepSetCheck {
 public:
  /// The source and what the definition points to outlive the object. After `most_work` pairs of a
  /// key and a query only every 16th round is scored.
  ScoreSelection(gpu::Device& device, const ChoiceRule& rule, const ScoreDefinition& definition,
                 const AttentionSource& source, std::uint64_t most_work)
      : device_(device),
        rule_(rule),
        kernels_(device, definition),
        source_(source),
        most_work_(most_work) {}

  void check(const Books& books, SequenceId id, const TokensEvicted& event,
             std::uint32_t in_flight) override;
  void forget(SequenceId id) override;

 private:
  void compare(const SetChoice& choice, const std::vector<bool>& kept, const KernelScores& scores);

  gpu::Device& device_;
  ChoiceRule rule_;
  ScoreKernels kernels_;
  const AttentionSource& source_;
  std::uint64_t most_work_, rounds_ = 0;
  std::map<SequenceId, std::unique_ptr<SequenceAttention>> attention_;
};

}  // namespace vacancy::verify
