// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units/units.hpp"

namespace vacancy {

/// Device pages under a pool, each of so many blocks with consecutive ids. A page is mapped while
/// one of its blocks is of use: held by a table, or free with cached contents. (kvcached maps and
/// unmaps pages so; it does the same in the memory of every layer at once.)
class PageUse {
 public:
  explicit PageUse(std::uint32_t blocks_per_page) : blocks_per_page_(blocks_per_page) {}

  std::uint32_t blocks_per_page() const { return blocks_per_page_; }
  std::uint32_t page(BlockId block) const { return block.value() / blocks_per_page_; }
  std::uint64_t mapped() const { return mapped_; }
  /// Blocks of use.
  std::uint64_t blocks() const { return blocks_; }
  /// Of one page; pages beyond all that ever were of use are empty.
  std::uint32_t blocks_of(std::uint32_t page) const {
    return page < used_.size() ? used_[page] : 0;
  }

  /// The pool has blocks with ids below `blocks`.
  void grow(std::uint32_t blocks) {
    used_.resize((std::size_t{blocks} + blocks_per_page_ - 1) / blocks_per_page_);
  }
  void add(BlockId block) {
    if (used_[page(block)]++ == 0) ++mapped_;
    ++blocks_;
  }
  void remove(BlockId block) {
    if (--used_[page(block)] == 0) --mapped_;
    --blocks_;
  }

 private:
  std::uint32_t blocks_per_page_;
  std::vector<std::uint32_t> used_;  // by page: blocks of use
  std::uint64_t mapped_ = 0, blocks_ = 0;
};

}  // namespace vacancy
