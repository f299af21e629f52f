// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/hash_chain/chain_replacement.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

ChainReplacement::ChainReplacement(HashChainIndex& index, MakePolicy make, std::uint32_t blocks,
                                   std::uint32_t tenant_quota)
    : index_(index),
      make_(std::move(make)),
      quota_(tenant_quota),
      guard_(make_(), blocks),
      blocks_(blocks) {}

std::uint32_t ChainReplacement::tenant_place(std::uint32_t tenant) {
  const auto place = static_cast<std::uint32_t>(tenants_.size());
  const auto [found, added] = tenant_places_.try_emplace(tenant, place);
  if (added)
    tenants_.push_back({EvictionGuard(make_(), static_cast<std::uint32_t>(blocks_.size())), 0});
  return found->second;
}

void ChainReplacement::inserted(BlockId block, const ContentId& id, std::uint32_t tenant,
                                BlockAccess access, bool chained) {
  const ContentIndex fresh(static_cast<std::uint32_t>(contents_.size()));
  VACANCY_ASSERT(fresh != no_content, "contents have numbers of 32 bits");
  access.content = contents_.try_emplace(id, fresh).first->second;
  at(block) = {access.content, true, chained, false, quota_ > 0 ? tenant_place(tenant) : 0};
  tell(at(block), [&](EvictionGuard& guard) {
    guard.inserted(entry(block), access);
    guard.pin(entry(block));
  });
}

void ChainReplacement::hit(BlockId block, BlockAccess access) {
  access.content = at(block).content;
  tell(at(block), [&](EvictionGuard& guard) { guard.hit(entry(block), access); });
}

std::optional<BlockId> ChainReplacement::expired(SimTime now) const {
  const auto found = guard_.expired(now);
  return found ? std::optional(BlockId(found->value())) : std::nullopt;
}

std::optional<BlockId> ChainReplacement::evict_over_quota() {
  while (!over_quota_.empty()) {
    Tenant& tenant = tenants_[over_quota_.back()];
    if (tenant.free <= quota_) {
      over_quota_.pop_back();
      continue;
    }
    const auto victim = tenant.guard.victim(BlockAccess{});
    VACANCY_ASSERT(victim, "a tenant's free blocks are a forest too");
    const BlockId block(victim->value());
    remove(block, Removal::evicted);
    return block;
  }
  return std::nullopt;
}

void ChainReplacement::forget(std::span<const BlockId> blocks) {
  index_.forget(blocks);
  // What was chosen for eviction here is gone already.
  for (const BlockId block : blocks)
    if (at(block).present) remove(block, Removal::dropped);
}

void ChainReplacement::freed(BlockId block, BlockId before) {
  Block& freed = at(block);
  const bool hangs = freed.chained && before != null_block && at(before).present;
  tell(freed, [&](EvictionGuard& guard) {
    if (hangs) guard.set_parent(entry(block), entry(before));
    guard.released(entry(block));
    guard.unpin(entry(block));
  });
  set_free(freed, true);
}

void ChainReplacement::taken(BlockId block) {
  tell(at(block), [&](EvictionGuard& guard) {
    guard.pin(entry(block));
    guard.set_parent(entry(block), std::nullopt);
  });
  set_free(at(block), false);
}

BlockId ChainReplacement::evict() {
  // The room of a whole step is taken before its first block is written: no content is named.
  const auto victim = guard_.victim(BlockAccess{});
  VACANCY_ASSERT(victim, "free blocks hang on each other in a forest, whose leaves are in reach");
  const BlockId block(victim->value());
  remove(block, Removal::evicted);
  return block;
}

void ChainReplacement::set_free(Block& block, bool free) {
  block.free = free;
  if (quota_ == 0) return;
  Tenant& tenant = tenants_[block.tenant];
  if (!free) {
    --tenant.free;
  } else if (++tenant.free == quota_ + 1) {
    over_quota_.push_back(block.tenant);
  }
}

void ChainReplacement::remove(BlockId block, Removal how) {
  tell(at(block), [&](EvictionGuard& guard) { guard.removed(entry(block), how); });
  if (at(block).free) set_free(at(block), false);
  at(block).present = false;
}

}  // namespace vacancy
