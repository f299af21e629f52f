// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/keep_set_check.hpp"

namespace vacancy::verify {

/// Random eviction as its definition says it (spec policies §3.2), drawn and ranked by the kernels.
/// Identical, token by token.
class RandomSelection final : public KeepSetCheck {
 public:
  /// `most_draws`: of a token by a set.
  RandomSelection(gpu::Device& device, const ChoiceRule& rule, std::uint64_t seed,
                  std::uint64_t most_draws)
      : KeepSetCheck(most_draws), device_(device), rule_(rule), seed_(seed) {}

  void check(const Books& books, SequenceId id, const TokensEvicted& event,
             std::uint32_t in_flight) override;

 private:
  gpu::Device& device_;
  ChoiceRule rule_;
  std::uint64_t seed_, draws_ = 0;
};

}  // namespace vacancy::verify
