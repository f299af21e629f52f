// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/units/number_ranges.hpp"

namespace vacancy {

/// Prompts that stay cached whatever the replacement policy says, from the end of their request to
/// the end of the run: what an operator pins for system prompts that always come back.
struct PinnedPrefixes {
  NumberRanges requests;                // as the run numbers them
  std::optional<std::uint32_t> tokens;  // the first of each prompt; nothing: all

  bool empty() const { return requests.empty(); }
  /// How many leading tokens of a request's prompt are pinned.
  std::uint32_t of(std::uint32_t request, std::uint32_t prompt_tokens) const {
    for (const auto& [first, last] : requests)
      if (request >= first && request <= last)
        return std::min(prompt_tokens, tokens.value_or(prompt_tokens));
    return 0;
  }
};

}  // namespace vacancy
