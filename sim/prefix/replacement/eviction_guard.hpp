// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// Which entries a policy may choose from in a serving engine. An entry is out of reach
/// - while running requests use it: pins, which nest;
/// - in chain order, while a child of it is cached: a block without the blocks before it is of no
///   use, so only leaves go (SGLang, TensorRT-LLM; engines without that rule name no parents).
/// The policy keeps the order of all entries, so one that comes into reach again has the place that
/// its uses earned. Every call is O(1) besides the policy's own work.
class EvictionGuard {
 public:
  EvictionGuard(std::unique_ptr<ReplacementPolicy> policy, std::uint32_t entries);

  /// A block entered, unpinned and without children.
  void inserted(EntryId entry, const BlockAccess& access,
                std::optional<EntryId> parent = std::nullopt);
  void hit(EntryId entry, const BlockAccess& access) { policy_->hit(entry, access); }
  void released(EntryId entry) { policy_->released(entry); }
  void pin(EntryId entry);
  void unpin(EntryId entry);
  /// Hangs an entry under another parent, as a split of a tree's node does.
  void set_parent(EntryId entry, std::optional<EntryId> parent);
  /// The entry must be in reach, unless it is dropped: then it may be pinned, and its children have
  /// no parent any more.
  void removed(EntryId entry, Removal how);

  std::optional<EntryId> victim(const BlockAccess& incoming) { return policy_->victim(incoming); }
  std::optional<EntryId> expired(SimTime now) const { return policy_->expired(now); }

  std::uint32_t pins(EntryId entry) const { return nodes_[entry.value()].pins; }
  std::uint32_t children(EntryId entry) const { return nodes_[entry.value()].children; }
  bool in_reach(EntryId entry) const { return pins(entry) == 0 && children(entry) == 0; }

 private:
  struct Node {
    std::uint32_t pins = 0, children = 0;
    std::optional<EntryId> parent;
    std::uint32_t parent_life = 0;  // the parent's `life` when it became that
    std::uint32_t life = 0;         // contents that the entry had before
  };

  void hold(EntryId entry, std::uint32_t Node::*count);
  void let_go(EntryId entry, std::uint32_t Node::*count);

  std::unique_ptr<ReplacementPolicy> policy_;
  std::vector<Node> nodes_;
};

}  // namespace vacancy
