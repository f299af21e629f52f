// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {
namespace {

class Lru final : public QueuedPolicy {
 public:
  explicit Lru(std::uint32_t entries) : QueuedPolicy(1, entries) {}

  void inserted(EntryId entry, const BlockAccess& /*access*/) override { queues_.push(0, entry); }
  void hit(EntryId entry, const BlockAccess& /*access*/) override { queues_.renew(entry); }
  void released(EntryId entry) override { queues_.renew(entry); }
  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    return queues_.front(0);
  }
};

}  // namespace

ReplacementEntry lru_entry() {
  return entry_of<Lru>(
      "lru", "Least recently used: evicts the block whose last use is longest ago.",
      "Mattson, Gecsei, Slutz, Traiger, IBM Systems Journal 9(2), 1970; vLLM, SGLang");
}

}  // namespace vacancy
