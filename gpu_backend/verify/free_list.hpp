// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "sim/pool/block_pool.hpp"

namespace vacancy::verify {

/// Which blocks nobody holds and in what order they will be taken, by the words of the events and
/// of spec engines V10: the plainest list that does it.
class FreeList {
 public:
  FreeList(std::optional<std::uint32_t> blocks, FreeOrder order) : order_(order) {
    unlimited_ = !blocks;
    if (blocks) grow(*blocks);
  }

  const std::list<std::uint32_t>& blocks() const { return free_; }
  bool contains(std::uint32_t block) const { return block < at_.size() && at_[block].has_value(); }
  /// An unlimited pool makes the next block when it is taken.
  bool exists(std::uint32_t block) const {
    return block < created() || (unlimited_ && block == created());
  }
  /// Ids below this exist.
  std::uint32_t created() const { return static_cast<std::uint32_t>(at_.size()); }
  bool cached(std::uint32_t block) const { return block < cached_.size() && cached_[block]; }
  void set_cached(std::uint32_t block, bool cached) { cached_[block] = cached; }
  void clear_cached() { cached_.assign(cached_.size(), false); }

  /// The block that comes next. An unlimited pool makes one rather than take one with cached
  /// contents.
  std::uint32_t next() const {
    const bool grows = free_.empty() || (unlimited_ && cached(free_.front()));
    return grows ? created() : free_.front();
  }
  void take(std::uint32_t block) {
    if (unlimited_ && block >= created()) grow(block + 1);
    free_.erase(*at_[block]);
    at_[block].reset();
  }
  void advance(std::uint32_t block) {
    take(block);
    put_front(block);
  }
  /// Blocks of one table that lost their last holder, in the table's order.
  void put(const std::vector<std::uint32_t>& blocks) {
    const bool apart = order_ == FreeOrder::uncached_first;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint32_t block =
          blocks[order_ == FreeOrder::append_forward ? i : blocks.size() - 1 - i];
      if (!apart || cached(block)) put_back(block);
    }
    for (const std::uint32_t block : blocks)
      if (apart && !cached(block)) put_front(block);
  }

 private:
  void grow(std::uint32_t blocks) {
    const std::uint32_t first = created();
    at_.resize(blocks);
    cached_.resize(blocks);
    for (std::uint32_t block = first; block < blocks; ++block)
      put_back(block);
  }
  void put_back(std::uint32_t block) { at_[block] = free_.insert(free_.end(), block); }
  void put_front(std::uint32_t block) { at_[block] = free_.insert(free_.begin(), block); }

  FreeOrder order_;
  bool unlimited_;
  std::list<std::uint32_t> free_;
  std::vector<std::optional<std::list<std::uint32_t>::iterator>> at_;
  std::vector<bool> cached_;
};

}  // namespace vacancy::verify
