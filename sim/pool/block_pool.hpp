// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/pool/block_replacement.hpp"
#include "sim/pool/free_queue.hpp"
#include "sim/pool/page_use.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Where the blocks of a table that nobody references any more join the free queue (spec engines
/// V10).
enum class FreeOrder {
  append,          // all at the back, the table's tail first
  append_forward,  // all at the back, the table's head first; no engine does so (an ablation)
  uncached_first   // those without cached contents at the front, the others at the back
};

/// What all slots of all held blocks add up to: held = live + hole + tail.
struct SlotCounts {
  std::uint64_t held = 0;  // block size × held blocks
  std::uint64_t live = 0;  // held by at least one set of at least one table
  std::uint64_t hole = 0;  // below a table's end, held by no set any more
  std::uint64_t tail = 0;  // at or beyond the end of every table that has the block

  bool operator==(const SlotCounts&) const = default;
};

/// The physical blocks: reference counts, the free queue, which blocks have cached contents, and
/// for every slot how many (table, set) pairs hold a token there.
///
/// Invariants. A block is in the free queue exactly if its reference count is 0; its slots then
/// have no holders. `live` of a block counts its slots with holders; `fill` is the end of the
/// longest table inside the block, so live <= fill <= block size. Only unshared blocks are written,
/// so all tables that share a block agree on its fill.
///
/// Nearly all blocks are *uniform*: every slot below the fill has the same number of holders, which
/// then is kept once for the block. Slots are counted apart from the first time that they differ
/// until the block is written anew.
class BlockPool {
 public:
  /// `blocks`: how many there are; nothing for a pool that grows with demand. `replacement`, where
  /// there is one, chooses among the free blocks with cached contents, and lives as long as the
  /// pool; it needs a pool of given size and the order uncached_first.
  BlockPool(std::uint32_t block_size, std::optional<std::uint32_t> blocks,
            FreeOrder order = FreeOrder::append, BlockReplacement* replacement = nullptr);
  /// Counts the device pages that blocks keep mapped, from the start on.
  void follow_pages(std::uint32_t blocks_per_page);

  std::uint32_t block_size() const { return block_size_; }
  std::optional<std::uint32_t> capacity() const { return capacity_; }
  /// Ids below this exist; a growing pool has only those that were ever allocated.
  std::uint32_t created() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t held() const { return held_; }
  std::uint32_t peak_held() const { return peak_held_; }
  /// Blocks that two or more tables hold.
  std::uint32_t shared() const { return shared_; }
  /// Blocks that would be held besides if each table had its own.
  std::uint64_t saved() const { return saved_; }
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
    const Block& b = at(block);
    if (b.apart) return holders_[slot(block, offset)];
    return offset < b.fill ? b.holders : 0;
  }
  /// True if a prefix index can find the block by its contents.
  bool cached(BlockId block) const { return at(block).cached; }
  void set_cached(BlockId block, bool cached);
  const FreeQueue& free_queue() const { return free_; }
  /// Nothing unless they are followed.
  const std::optional<PageUse>& pages() const { return pages_; }

  /// Lets a growing pool have `count` free blocks at least.
  void prepare(std::uint64_t count) {
    if (!capacity_ && count > free_.size())
      create(static_cast<std::uint32_t>(count) - free_.size());
  }
  /// Takes the front of the free queue, or what the replacement chooses once no block without
  /// cached contents is left; the caller made sure that one is available. An unlimited pool rather
  /// grows than takes a block with cached contents.
  BlockId allocate();
  /// A free block lost its cached contents: it now goes before all others.
  void advance(BlockId block) {
    free_.remove(block);
    free_.push_front(block);
  }
  /// One more table has the block, which may be held or free.
  void add_reference(BlockId block);
  /// Drops one reference of each block, the last one first unless the free order says otherwise;
  /// none of the dropping table's sets holds them any more. Null blocks are passed over. Returns
  /// how many lost their last reference: they are in the free queue now, those that join the same
  /// end in the order of release (V10).
  std::uint32_t release(std::span<const BlockId> blocks);

  /// Slots [first, last) of an unshared block were written and are held by `holders` sets.
  void write(BlockId block, std::uint32_t first, std::uint32_t last, std::uint32_t holders);
  /// One more (table, set) pair holds the slot.
  void add_holder(BlockId block, std::uint32_t offset);
  void drop_holder(BlockId block, std::uint32_t offset) {
    if (!at(block).apart) count_apart(block);
    if (--holders_[slot(block, offset)] == 0) {
      --at(block).live;
      --live_;
    }
  }
  /// The same for every slot below the fill, `count` times.
  void add_holders(BlockId block, std::uint32_t count);
  void drop_holders(BlockId block, std::uint32_t count);
  /// Slot i loses drops[i] holders.
  void drop_holders(BlockId block, std::span<const std::uint8_t> drops);
  /// The only table that has the block now ends at holders.size() inside it; slot i is held by
  /// holders[i] sets, the slots beyond by none.
  void rewrite(BlockId block, std::span<const std::uint32_t> holders);
  /// A fresh copy of a block takes over its fill; holders move one by one.
  void copy_fill(BlockId from, BlockId to);

 private:
  struct Block {
    std::uint32_t references = 0, live = 0, fill = 0;
    std::uint32_t holders = 0;  // of each slot below the fill, while uniform
    bool apart = false;         // holders_ has the block's slots
    bool cached = false;
  };
  const Block& at(BlockId block) const { return blocks_[block.value()]; }
  Block& at(BlockId block) { return blocks_[block.value()]; }
  std::size_t slot(BlockId block, std::uint32_t offset) const {
    return std::size_t{block.value()} * block_size_ + offset;
  }
  void create(std::uint32_t count);
  void count_apart(BlockId block);
  void set_fill(Block& block, std::uint32_t fill);
  void set_live(Block& block, std::uint32_t live);

  std::uint32_t block_size_;
  std::optional<std::uint32_t> capacity_;
  FreeOrder order_;
  BlockReplacement* replacement_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> holders_;  // empty until a block counts its slots apart
  FreeQueue free_;
  std::optional<PageUse> pages_;
  std::uint32_t held_ = 0, peak_held_ = 0, shared_ = 0;
  std::uint64_t saved_ = 0;
  std::uint64_t live_ = 0, filled_ = 0;
};

}  // namespace vacancy
