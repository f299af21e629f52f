// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// A number for each content, 0 until set. Grows with the largest content that was set.
class ContentCounts {
 public:
  std::uint64_t of(ContentIndex content) const {
    return content.value() < counts_.size() ? counts_[content.value()] : 0;
  }

  /// Counts stop at 2^32 - 1. Nothing is remembered of an unknown content.
  void set(ContentIndex content, std::uint64_t count) {
    if (content == no_content) return;
    if (content.value() >= counts_.size()) counts_.resize(std::size_t{content.value()} + 1);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    counts_[content.value()] = static_cast<std::uint32_t>(std::min(count, most));
  }

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace vacancy
