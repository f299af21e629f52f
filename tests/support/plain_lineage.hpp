// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/units/units.hpp"

namespace vacancy::test {

/// Candidates of a beam search as strings of tokens, each token once in the world. By the letter of
/// what select() promises: a parent keeps its number for its first child, and further children get,
/// parent after parent, the numbers that nobody chose, both ascending.
class PlainLineage {
 public:
  PlainLineage(std::uint32_t prompt, std::uint32_t width) {
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t i = 0; i < prompt; ++i)
      tokens.push_back(fresh_++);
    candidates_.assign(width, tokens);
  }

  void grow() {
    for (auto& tokens : candidates_)
      tokens.push_back(fresh_++);
  }
  void select(std::vector<std::uint32_t> parents) {
    std::sort(parents.begin(), parents.end());
    std::vector<std::uint32_t> free, further;
    for (std::uint32_t i = 0; i < candidates_.size(); ++i)
      if (!std::binary_search(parents.begin(), parents.end(), i)) free.push_back(i);
    for (std::size_t i = 1; i < parents.size(); ++i)
      if (parents[i] == parents[i - 1]) further.push_back(parents[i]);
    for (std::size_t i = 0; i < free.size(); ++i)
      candidates_[free[i]] = candidates_[further[i]];
  }

  std::uint32_t length() const { return static_cast<std::uint32_t>(candidates_.front().size()); }
  /// Blocks that two candidates may share: full ones of tokens in common, and the last one while
  /// they have all tokens in common.
  std::uint32_t shared_blocks(std::uint32_t a, std::uint32_t b, std::uint32_t block_size) const {
    const auto& one = candidates_[a];
    const auto end = std::mismatch(one.begin(), one.end(), candidates_[b].begin()).first;
    const auto common = static_cast<std::uint32_t>(end - one.begin());
    return (end == one.end() ? common + block_size - 1 : common) / block_size;
  }

 private:
  std::uint32_t fresh_ = 0;
  std::vector<std::vector<std::uint32_t>> candidates_;
};

/// Entries of two tables that are the same block; they must be the first ones.
inline std::uint32_t shared_entries(std::span<const BlockId> a, std::span<const BlockId> b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  for (auto rest = end.first; rest != a.end(); ++rest)
    if (std::find(b.begin(), b.end(), *rest) != b.end()) return ~std::uint32_t{0};
  return static_cast<std::uint32_t>(end.first - a.begin());
}

}  // namespace vacancy::test
