// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/shared_blocks/freeing_graph.hpp"

namespace vacancy {

/// Device pages that come back, and the blocks freed for it.
struct FreedPages {
  std::vector<std::uint32_t> pages;  // ascending
  FreedBlocks blocks;
};

/// Pages that come back if these blocks go, ascending; a page without blocks is none.
std::vector<std::uint32_t> emptied_pages(const Pages& pages, const FreedBlocks& blocks);

/// Frees pages until `count` have come back: each time the page whose blocks, with all below them
/// that are still there, lose least; of equal ones the page that drags fewer blocks, then the
/// first. Exact choice is NP-hard, even on chains (spec block_aware §6).
FreedPages cheapest_pages(const BlockTrie& trie, const Pages& pages, std::uint32_t count);

/// The same for a number of blocks to free: pages while one fits that drags no more than are left,
/// then cheapest leaves.
FreedPages cheapest_pages_within(const BlockTrie& trie, const Pages& pages, std::uint32_t blocks);

}  // namespace vacancy
