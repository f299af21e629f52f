// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/page_greedy.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/shared_blocks/cheapest_leaves.hpp"

namespace vacancy {

namespace {

/// What is still to be freed for each page. A block counts for every page that has it or a block
/// above it.
class Drags {
 public:
  Drags(const BlockTrie& trie, const Pages& pages)
      : trie_(trie),
        pages_(pages),
        ends_(subtree_ends(trie)),
        pages_of_(trie.size()),
        gone_(trie.size(), false),
        drags_(pages.size()),
        counted_(pages.size(), no_block) {
    for (std::uint32_t page = 0; page < pages.size(); ++page)
      for (const std::uint32_t block : pages[page])
        pages_of_[block].push_back(page);
    for (std::uint32_t block = 0; block < trie.size(); ++block)
      for_each_page(block, [&](Drag& drag) {
        drag.loss += trie_.loss[block];
        ++drag.blocks;
      });
  }

  /// The page to free next among those that drag at most so many blocks, and at least one.
  std::optional<std::uint32_t> cheapest(std::uint32_t most) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t page = 0; page < drags_.size(); ++page) {
      if (drags_[page].blocks == 0 || drags_[page].blocks > most) continue;
      if (!best || drags_[page] < drags_[*best]) best = page;
    }
    return best;
  }

  void free(std::uint32_t page, FreedBlocks& result) {
    for (const std::uint32_t root : pages_[page])
      for (std::uint32_t block = root; block < ends_[root]; ++block) {
        if (gone_[block]) continue;
        gone_[block] = true;
        result.freed.push_back(block);
        result.loss += trie_.loss[block];
        for_each_page(block, [&](Drag& drag) {
          drag.loss -= trie_.loss[block];
          if (--drag.blocks == 0) ++emptied_;
        });
      }
  }
  std::uint32_t emptied() const { return emptied_; }

 private:
  struct Drag {
    Loss loss = 0;
    std::uint32_t blocks = 0;
    bool operator<(const Drag& other) const {
      return std::tie(loss, blocks) < std::tie(other.loss, other.blocks);
    }
  };

  template <class F>
  void for_each_page(std::uint32_t block, F&& f) {
    ++walk_;
    for (std::uint32_t above = block; above != no_block; above = trie_.parent[above])
      for (const std::uint32_t page : pages_of_[above]) {
        if (std::exchange(counted_[page], walk_) == walk_) continue;
        f(drags_[page]);
      }
  }

  const BlockTrie& trie_;
  const Pages& pages_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::vector<std::uint32_t>> pages_of_;
  std::vector<bool> gone_;
  std::vector<Drag> drags_;
  std::vector<std::uint32_t> counted_;  // by page: the last walk that met it
  std::uint32_t walk_ = 0, emptied_ = 0;
};

}  // namespace

std::vector<std::uint32_t> emptied_pages(const Pages& pages, const FreedBlocks& blocks) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t page = 0; page < pages.size(); ++page)
    if (!pages[page].empty() &&
        std::all_of(pages[page].begin(), pages[page].end(), [&](std::uint32_t block) {
          return std::binary_search(blocks.freed.begin(), blocks.freed.end(), block);
        }))
      result.push_back(page);
  return result;
}

FreedPages cheapest_pages(const BlockTrie& trie, const Pages& pages, std::uint32_t count) {
  Drags drags(trie, pages);
  FreedPages result;
  while (drags.emptied() < count) {
    const auto page = drags.cheapest(std::numeric_limits<std::uint32_t>::max());
    if (!page) break;
    drags.free(*page, result.blocks);
  }
  std::sort(result.blocks.freed.begin(), result.blocks.freed.end());
  result.pages = emptied_pages(pages, result.blocks);
  return result;
}

FreedPages cheapest_pages_within(const BlockTrie& trie, const Pages& pages, std::uint32_t blocks) {
  Drags drags(trie, pages);
  FreedPages result;
  const auto left = [&] { return blocks - static_cast<std::uint32_t>(result.blocks.freed.size()); };
  while (const auto page = drags.cheapest(left()))
    drags.free(*page, result.blocks);
  free_cheapest_leaves(trie, left(), result.blocks);
  result.pages = emptied_pages(pages, result.blocks);
  return result;
}

}  // namespace vacancy
