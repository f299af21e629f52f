// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/eviction/policy.hpp"

namespace vacancy {

/// The first `sinks` tokens and the last ones: the methods that look at nothing but positions.
class LastTokens : public EvictionPolicy {
 public:
  explicit LastTokens(std::uint32_t sinks = 0) : sinks_(sinks) {}

  Protection protection(std::uint32_t) const override { return {sinks_, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = round.live[i];
  }

 private:
  std::uint32_t sinks_;
};

}  // namespace vacancy
