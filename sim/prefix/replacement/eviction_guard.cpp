// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/eviction_guard.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

EvictionGuard::EvictionGuard(std::unique_ptr<ReplacementPolicy> policy, std::uint32_t entries)
    : policy_(std::move(policy)), nodes_(entries) {}

void EvictionGuard::inserted(EntryId entry, const BlockAccess& access,
                             std::optional<EntryId> parent) {
  nodes_[entry.value()] = {};
  policy_->inserted(entry, access);
  set_parent(entry, parent);
}

void EvictionGuard::pin(EntryId entry) {
  hold(entry, &Node::pins);
}

void EvictionGuard::unpin(EntryId entry) {
  let_go(entry, &Node::pins);
}

void EvictionGuard::set_parent(EntryId entry, std::optional<EntryId> parent) {
  const auto before = std::exchange(nodes_[entry.value()].parent, parent);
  if (parent) hold(*parent, &Node::children);
  if (before) let_go(*before, &Node::children);
}

void EvictionGuard::removed(EntryId entry, Removal how) {
  VACANCY_ASSERT(how == Removal::evicted ? in_reach(entry) : children(entry) == 0,
                 "a block goes before the blocks behind it, or while it is in use");
  policy_->removed(entry, how);
  set_parent(entry, std::nullopt);
  nodes_[entry.value()] = {};
}

void EvictionGuard::hold(EntryId entry, std::uint32_t Node::*count) {
  if (in_reach(entry)) policy_->pinned(entry);
  ++(nodes_[entry.value()].*count);
}

void EvictionGuard::let_go(EntryId entry, std::uint32_t Node::*count) {
  VACANCY_ASSERT(nodes_[entry.value()].*count > 0, "nothing holds the entry");
  --(nodes_[entry.value()].*count);
  if (in_reach(entry)) policy_->unpinned(entry);
}

}  // namespace vacancy
