// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/pool/content_id.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

/// vLLM's map from contents to blocks (spec engines V4, V6): several blocks may have the same
/// contents; the first that was inserted and is still present is found. Does not know which blocks
/// are free.
///
/// A block has at most one id, so the table needs room for as many ids as there are blocks and
/// never holds more: linear probing, at most half full, without tombstones. Its places hold a part
/// of the hash, so that neither a search nor a removal reads ids of other blocks. Nothing is
/// allocated once it has seen the highest block id.
class HashChainIndex final : public CachedContents {
 public:
  explicit HashChainIndex(std::uint32_t blocks = 0) { reserve(blocks); }

  /// Blocks in the index.
  std::uint32_t size() const { return size_; }
  bool contains(BlockId block) const {
    return block.value() < blocks_.size() && blocks_[block.value()].present;
  }
  /// null_block if no block has these contents.
  BlockId find(const ContentId& id) const {
    if (table_.empty()) return null_block;
    return BlockId(table_[position(id, tag(id))].first);
  }
  void insert(BlockId block, const ContentId& id);
  /// ids[i] are the contents of blocks[i].
  void insert(std::span<const BlockId> blocks, std::span<const ContentId> ids);
  void forget(BlockId block);
  void forget(std::span<const BlockId> blocks) override;

  static std::uint64_t hash(const ContentId& id);

 private:
  static constexpr std::uint32_t none = null_block.value();
  /// A place of the table: the oldest block with some contents; empty if first == none.
  struct Place {
    std::uint32_t tag = 0;  // of the contents
    std::uint32_t first = none;
  };
  struct Block {
    ContentId id;
    std::uint32_t previous = none, next = none;  // blocks with the same contents
    std::uint32_t last = none;                   // of these; where this is the first
    bool present = false;
  };

  static std::uint32_t tag(const ContentId& id) { return static_cast<std::uint32_t>(hash(id)); }
  std::size_t home(std::uint32_t tag) const { return tag & mask_; }
  /// Where the contents stand, or the empty place where they would.
  std::size_t position(const ContentId& id, std::uint32_t tag) const {
    std::size_t place = home(tag);
    while (table_[place].first != none &&
           (table_[place].tag != tag || !(blocks_[table_[place].first].id == id)))
      place = (place + 1) & mask_;
    return place;
  }
  /// Asks for the memory of a place that is needed `ahead` blocks later: places are random, and
  /// waiting for them was a third of a run.
  void fetch(std::uint32_t tag) const { __builtin_prefetch(&table_[home(tag)]); }
  static constexpr std::size_t ahead = 6;
  void reserve(std::uint32_t blocks);
  /// Of a block that is the first with its contents.
  std::size_t place_of_first(BlockId block) const;
  void vacate(std::size_t place);

  std::vector<Place> table_;
  std::vector<Block> blocks_;
  std::size_t mask_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace vacancy
