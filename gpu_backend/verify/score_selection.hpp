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
/// On the kernels' scores the simulator's selection and the kernels' are the same, token by token,
/// or block by block where whole blocks are chosen, and the scores are those of reference/.
/// The simulator scores in another precision: a token that it ranks on the other side of the
/// threshold has a score within the tolerance of it, two scores being compared, each off by
/// KernelScores::error at most. Of a choice that is made in steps the event tells the last one;
/// those before it are made in double precision, and the kernels' held against these.
class ScoreSelection final : public KeepSetCheck {
 public:
  /// The source and what the definition points to outlive the object. `most_pairs`: of a key and a
  /// query.
  ScoreSelection(gpu::Device& device, const ChoiceRule& rule, const ScoreDefinition& definition,
                 const AttentionSource& source, std::uint64_t most_pairs)
      : KeepSetCheck(most_pairs),
        device_(device),
        rule_(rule),
        kernels_(device, definition),
        step_(rule.blocks ? 0 : step_of(definition)),
        source_(source) {}

  void check(const Books& books, SequenceId id, const TokensEvicted& event,
             std::uint32_t in_flight) override;
  void forget(SequenceId id) override;

 private:
  static std::uint32_t step_of(const ScoreDefinition& definition) {
    const auto* const stepwise = std::get_if<KeyDifferenceScores>(&definition);
    return stepwise != nullptr ? stepwise->step : 0;
  }
  /// As many tokens as stay begin; `step` more join at a time, and the worst of all leave.
  void check_in_steps(const SequenceAttention& attention, SequenceId id, const SetChoice& choice,
                      const std::vector<bool>& kept, std::uint32_t step,
                      std::uint32_t next_position);
  void compare(const SetChoice& choice, const std::vector<bool>& kept, const KernelScores& scores);

  gpu::Device& device_;
  ChoiceRule rule_;
  ScoreKernels kernels_;
  std::uint32_t step_;
  const AttentionSource& source_;
  std::map<SequenceId, std::unique_ptr<SequenceAttention>> attention_;
};

}  // namespace vacancy::verify
