// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {
namespace {

class Fifo final : public QueuedPolicy {
 public:
  explicit Fifo(std::uint32_t entries) : QueuedPolicy(1, entries) {}

  void inserted(EntryId entry, const BlockAccess& /*access*/) override { queues_.push(0, entry); }
  void hit(EntryId /*entry*/, const BlockAccess& /*access*/) override {}
  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    return queues_.front(0);
  }
};

}  // namespace

ReplacementEntry fifo_entry() {
  return entry_of<Fifo>("fifo", "First in, first out: evicts the block inserted longest ago.",
                        "SGLang evict_policy.py");
}

}  // namespace vacancy
