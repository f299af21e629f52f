// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/eviction_guard.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

EvictionGuard::EvictionGuard(std::unique_ptr<ReplacementPolicy> policy, std::uint32_t entries)
    : policy_(std::move(policy)), nodes_(entries) {}

void EvictionGuard::inserted(EntryId entry, const BlockAccess& access,
                             std::optional<EntryId> parent) {
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
  Node& node = nodes_[entry.value()];
  const auto before = std::exchange(node.parent, parent);
  const std::uint32_t before_life = node.parent_life;
  if (parent) {
    node.parent_life = nodes_[parent->value()].life;
    hold(*parent, &Node::children);
  }
  if (before && nodes_[before->value()].life == before_life) let_go(*before, &Node::children);
}

void EvictionGuard::removed(EntryId entry, Removal how) {
  VACANCY_ASSERT(how == Removal::dropped || in_reach(entry),
                 "a block goes before the blocks behind it, or while it is in use");
  policy_->removed(entry, how);
  set_parent(entry, std::nullopt);
  const std::uint32_t life = nodes_[entry.value()].life + 1;
  nodes_[entry.value()] = {};
  nodes_[entry.value()].life = life;
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
