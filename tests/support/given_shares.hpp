// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/eviction/policy.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// Sets keep what a test says, by scores that are a function of (set, token).
class GivenShares final : public EvictionPolicy {
 public:
  explicit GivenShares(std::vector<std::uint32_t> shares) : shares_(std::move(shares)) {}

  KeepRule keep_rule() const override { return KeepRule::ragged; }

  static double score_of(std::uint32_t set, std::uint32_t token) {
    return philox4x32_10({set, token, 0, 0}, {4, 2})[0];
  }
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = score_of(round.set, round.live[i]);
  }
  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch&) const override {
    asked.clear();
    for (const EvictionRound& set : sets)
      asked.push_back({{set.live.begin(), set.live.end()}, set.keep});
    std::copy_n(shares_.begin(), shares.size(), shares.begin());
  }

  /// What the last `allot` was shown of each set.
  struct Asked {
    std::vector<std::uint32_t> live;
    std::uint32_t keep;
  };
  mutable std::vector<Asked> asked;

 private:
  std::vector<std::uint32_t> shares_;
};

}  // namespace vacancy::test
