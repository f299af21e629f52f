// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/pool/block_replacement.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/prefix/hash_chain/hash_chain_index.hpp"
#include "sim/prefix/replacement/eviction_guard.hpp"

namespace vacancy {

/// A replacement policy over the blocks of a hash chain index, in place of vLLM's free queue. Block
/// ids are the policy's entries.
///
/// What is referenced does not leave, and of two free blocks of one prefix the later one leaves
/// first. A free block hangs on the block before it in the table that let go of it last, for as
/// long as it is free: a referenced one needs no such care, since its own table refers to what
/// stands before it. (With two blocks of the same contents, V6, that may be another block than it
/// would hang on.) So free blocks hang on each other in a forest whose leaves are in reach, and
/// there is a victim whenever a block with contents is free.
class ChainReplacement final : public CachedContents, public BlockReplacement {
 public:
  /// `blocks`: ids are below. The index lives as long as this.
  ChainReplacement(HashChainIndex& index, std::unique_ptr<ReplacementPolicy> policy,
                   std::uint32_t blocks);

  /// A referenced block, in the index by now, can be found by its contents. `chained`: it is of no
  /// use without the block before it. The access need not name the content.
  void inserted(BlockId block, const ContentId& id, BlockAccess access, bool chained);
  /// A block was found and is referenced.
  void hit(BlockId block, BlockAccess access);
  /// A free block whose time has run out, if there is one.
  std::optional<BlockId> expired(SimTime now) const;

  void forget(BlockId block) override;
  void freed(BlockId block, BlockId before) override;
  void taken(BlockId block) override;
  BlockId evict() override;

 private:
  struct Block {
    ContentIndex content = no_content;
    bool present = false;  // the policy knows it
    bool chained = false;
  };
  struct Hash {
    std::size_t operator()(const ContentId& id) const { return HashChainIndex::hash(id); }
  };
  static EntryId entry(BlockId block) { return EntryId(block.value()); }
  void remove(BlockId block, Removal how);

  HashChainIndex& index_;
  EvictionGuard guard_;
  std::vector<Block> blocks_;
  std::unordered_map<ContentId, ContentIndex, Hash> contents_;  // all that ever were
};

}  // namespace vacancy
