// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/shared_blocks/cached_blocks.hpp"

namespace vacancy {

/// What it would cost to free some of the cached blocks, by several choices.
struct FreePlan {
  struct Choice {
    Loss loss = 0;            // with what is lost below the freed blocks
    std::uint64_t pages = 0;  // device pages that come back
  };
  std::uint32_t blocks = 0;     // to free
  Loss bound = 0;               // no choice loses less
  std::optional<Choice> least;  // the best, where it is proved or not too long to look for
  Choice cheapest_leaves;       // cheapest leaf first
  Choice free_order;            // as the pool would take them
  Choice whole_pages;           // cheapest_pages_within()
};

/// `blocks`: no more than there are.
FreePlan free_plan(const CachedBlocks& cached, std::uint32_t blocks);

}  // namespace vacancy
