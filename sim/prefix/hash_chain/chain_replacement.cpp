// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/hash_chain/chain_replacement.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

ChainReplacement::ChainReplacement(HashChainIndex& index, std::unique_ptr<ReplacementPolicy> policy,
                                   std::uint32_t blocks)
    : index_(index), guard_(std::move(policy), blocks), blocks_(blocks) {}

void ChainReplacement::inserted(BlockId block, const ContentId& id, BlockAccess access,
                                bool chained) {
  const ContentIndex fresh(static_cast<std::uint32_t>(contents_.size()));
  VACANCY_ASSERT(fresh != no_content, "contents have numbers of 32 bits");
  access.content = contents_.try_emplace(id, fresh).first->second;
  blocks_[block.value()] = {access.content, true, chained};
  guard_.inserted(entry(block), access);
  guard_.pin(entry(block));
}

void ChainReplacement::hit(BlockId block, BlockAccess access) {
  access.content = blocks_[block.value()].content;
  guard_.hit(entry(block), access);
}

std::optional<BlockId> ChainReplacement::expired(SimTime now) const {
  const auto found = guard_.expired(now);
  return found ? std::optional(BlockId(found->value())) : std::nullopt;
}

void ChainReplacement::forget(BlockId block) {
  index_.forget(block);
  // What evict() chose is gone already.
  if (blocks_[block.value()].present) remove(block, Removal::dropped);
}

void ChainReplacement::freed(BlockId block, BlockId before) {
  const Block& freed = blocks_[block.value()];
  if (freed.chained && before != null_block && blocks_[before.value()].present)
    guard_.set_parent(entry(block), entry(before));
  guard_.released(entry(block));
  guard_.unpin(entry(block));
}

void ChainReplacement::taken(BlockId block) {
  guard_.pin(entry(block));
  guard_.set_parent(entry(block), std::nullopt);
}

BlockId ChainReplacement::evict() {
  // The room of a whole step is taken before its first block is written: no content is named.
  const auto victim = guard_.victim(BlockAccess{});
  VACANCY_ASSERT(victim, "free blocks hang on each other in a forest, whose leaves are in reach");
  const BlockId block(victim->value());
  remove(block, Removal::evicted);
  return block;
}

void ChainReplacement::remove(BlockId block, Removal how) {
  guard_.removed(entry(block), how);
  blocks_[block.value()].present = false;
}

}  // namespace vacancy
