// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/books.hpp"
#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"

namespace vacancy::verify {

/// Random eviction as its definition says it (spec policies §3.2), drawn and ranked by the kernels.
struct RandomRule {
  std::uint64_t seed = 0;
  std::uint32_t keep = 0;  // tokens a set keeps; a prompt outside the budget not counted
  PromptRule prompt = PromptRule::evictable;
  Protection protection;
};

class RandomSelection {
 public:
  RandomSelection(gpu::Device& device, const RandomRule& rule) : device_(device), rule_(rule) {}

  /// Throws a BookFault if the decision on the sequence, as the books have it before, is not the
  /// one that the kernels make. `in_flight` tokens at its end were not to be chosen from.
  void check(const Books& books, SequenceId id, const TokensEvicted& event,
             std::uint32_t in_flight);
  std::uint64_t sets_compared() const { return compared_; }

 private:
  gpu::Device& device_;
  RandomRule rule_;
  std::uint64_t compared_ = 0;
};

}  // namespace vacancy::verify
