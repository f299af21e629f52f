// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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
///
/// With a quota, each tenant has the policy once more for its own blocks alone, which says what it
/// gives up when it has too many that are free. A prefix belongs to one tenant, so what is in reach
/// for one is in reach for the other. (What a policy counts as a share of the cache is a share of
/// all of it.)
class ChainReplacement final : public CachedContents, public BlockReplacement {
 public:
  using MakePolicy = std::function<std::unique_ptr<ReplacementPolicy>()>;

  /// `blocks`: ids are below. `tenant_quota`: free blocks with contents that a tenant may have; 0:
  /// any number. The index lives as long as this.
  ChainReplacement(HashChainIndex& index, MakePolicy make, std::uint32_t blocks,
                   std::uint32_t tenant_quota = 0);

  /// A referenced block, in the index by now, can be found by its contents. `chained`: it is of no
  /// use without the block before it. The access need not name the content.
  void inserted(BlockId block, const ContentId& id, std::uint32_t tenant, BlockAccess access,
                bool chained);
  /// A block was found and is referenced.
  void hit(BlockId block, BlockAccess access);
  /// A free block whose time has run out, if there is one.
  std::optional<BlockId> expired(SimTime now) const;
  /// Chooses the free block that a tenant beyond its quota gives up; nothing if none is.
  std::optional<BlockId> evict_over_quota();

  void forget(std::span<const BlockId> blocks) override;
  void freed(BlockId block, BlockId before) override;
  void taken(BlockId block) override;
  BlockId evict() override;

 private:
  struct Block {
    ContentIndex content = no_content;
    bool present = false;  // the policy knows it
    bool chained = false;
    bool free = false;
    std::uint32_t tenant = 0;  // its place in tenants_; with a quota
  };
  struct Tenant {
    EvictionGuard guard;
    std::uint32_t free = 0;  // of its blocks
  };
  struct Hash {
    std::size_t operator()(const ContentId& id) const { return HashChainIndex::hash(id); }
  };
  static EntryId entry(BlockId block) { return EntryId(block.value()); }
  Block& at(BlockId block) { return blocks_[block.value()]; }
  std::uint32_t tenant_place(std::uint32_t tenant);
  void set_free(Block& block, bool free);
  void remove(BlockId block, Removal how);
  /// Calls f(guard) for each guard that knows the block.
  template <class F>
  void tell(const Block& block, F&& f) {
    f(guard_);
    if (quota_ > 0) f(tenants_[block.tenant].guard);
  }

  HashChainIndex& index_;
  MakePolicy make_;
  std::uint32_t quota_;
  EvictionGuard guard_;
  std::vector<Tenant> tenants_;  // in order of appearance
  std::unordered_map<std::uint32_t, std::uint32_t> tenant_places_;
  std::vector<std::uint32_t> over_quota_;  // tenants that were so when they let go of a block
  std::vector<Block> blocks_;
  std::unordered_map<ContentId, ContentIndex, Hash> contents_;  // all that ever were
};

}  // namespace vacancy
