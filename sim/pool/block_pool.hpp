// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/pool/free_queue.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What all slots of all held blocks add up to: held = live + hole + tail.
struct SlotCounts {
  std::uint64_t held = 0;  // block size × held blocks
  std::uint64_t live = 0;  // held by at least one set of at least one table
  std::uint64_t hole = 0;  // below a table's end, held by no set any more
  std::uint64_t tail = 0;  // at or beyond the end of every table that has the block

  bool operator==(const SlotCounts&) const = default;
};

/// The physical blocks: reference counts, the free queue, and for every slot how many
/// (table, set) pairs hold a token there.
///
/// Invariants. A block is in the free queue exactly if its reference count is 0; its slots then
/// have no holders. `live` of a block counts its slots with holders; `fill` is the end of the
/// longest table inside the block, so live <= fill <= block size. Only unshared blocks are written,
/// so all tables that share a block agree on its fill.
class BlockPool {
 public:
  /// `blocks`: how many there are; nothing for a pool that grows with demand.
  BlockPool(std::uint32_t block_size, std::optional<std::uint32_t> blocks);

  std::uint32_t block_size() const { return block_size_; }
  std::optional<std::uint32_t> capacity() const { return capacity_; }
  /// Ids below this exist; a growing pool has only those that were ever allocated.
  std::uint32_t created() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t held() const { return held_; }
  std::uint32_t peak_held() const { return peak_held_; }
  std::uint32_t available() const {
    return capacity_ ? *capacity_ - held_ : std::numeric_limits<std::uint32_t>::max() - held_;
  }
  SlotCounts slots() const {
    const std::uint64_t held = std::uint64_t{held_} * block_size_;
    return {held, live_, filled_ - live_, held - filled_};
  }

  std::uint32_t references(BlockId block) const { return at(block).references; }
  std::uint32_t live(BlockId block) const { return at(block).live; }
  std::uint32_t fill(BlockId block) const { return at(block).fill; }
  std::uint32_t holders(BlockId block, std::uint32_t offset) const {
    return holders_[slot(block, offset)];
  }
  const FreeQueue& free_queue() const { return free_; }

  /// Lets a growing pool grow once for the next `count` allocations.
  void prepare(std::uint64_t count) {
    if (!capacity_ && count > free_.size())
      create(static_cast<std::uint32_t>(count) - free_.size());
  }
  /// Takes the front of the free queue; the caller made sure that one is available.
  BlockId allocate();
  void add_reference(BlockId block) { ++at(block).references; }
  /// Drops one reference of a block that none of the dropping table's sets holds any more. True if
  /// it was the last one: the block is then at the back of the free queue.
  bool release(BlockId block);

  /// Slots [first, last) of an unshared block were written and are held by `holders` sets.
  void write(BlockId block, std::uint32_t first, std::uint32_t last, std::uint32_t holders);
  /// One more (table, set) pair holds the slot.
  void add_holder(BlockId block, std::uint32_t offset);
  void drop_holder(BlockId block, std::uint32_t offset) {
    if (--holders_[slot(block, offset)] == 0) {
      --at(block).live;
      --live_;
    }
  }
  /// The only table that has the block now ends at holders.size() inside it; slot i is held by
  /// holders[i] sets, the slots beyond by none.
  void rewrite(BlockId block, std::span<const std::uint32_t> holders);
  /// A fresh copy of a block takes over its fill; holders move one by one.
  void copy_fill(BlockId from, BlockId to);

 private:
  struct Block {
    std::uint32_t references = 0, live = 0, fill = 0;
  };
  const Block& at(BlockId block) const { return blocks_[block.value()]; }
  Block& at(BlockId block) { return blocks_[block.value()]; }
  std::size_t slot(BlockId block, std::uint32_t offset) const {
    return std::size_t{block.value()} * block_size_ + offset;
  }
  void create(std::uint32_t count);
  void set_fill(Block& block, std::uint32_t fill);

  std::uint32_t block_size_;
  std::optional<std::uint32_t> capacity_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> holders_;
  FreeQueue free_;
  std::uint32_t held_ = 0, peak_held_ = 0;
  std::uint64_t live_ = 0, filled_ = 0;
};

}  // namespace vacancy
