// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/prefix/replacement/stamped_queues.hpp"

namespace vacancy {

/// A policy that keeps its entries in queues. Derived classes say which queue, and when to move.
class QueuedPolicy : public ReplacementPolicy {
 public:
  QueuedPolicy(std::uint32_t queues, std::uint32_t entries) : queues_(queues, entries) {}

  void released(EntryId /*entry*/) override {}
  void pinned(EntryId entry) final { queues_.pin(entry); }
  void unpinned(EntryId entry) final { queues_.unpin(entry); }
  void removed(EntryId entry, Removal /*how*/) override { queues_.remove(entry); }

 protected:
  StampedQueues queues_;
};

}  // namespace vacancy
