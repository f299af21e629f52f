// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entries.hpp"
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
  ReplacementEntry entry;
  entry.info.name = "lru";
  entry.info.summary = "Least recently used: evicts the block whose last use is longest ago.";
  entry.info.citation =
      "Mattson, Gecsei, Slutz, Traiger, IBM Systems Journal 9(2), 1970; vLLM, SGLang";
  entry.make = [](const ParameterValues&,
                  const ReplacementContext& context) -> std::unique_ptr<ReplacementPolicy> {
    return std::make_unique<Lru>(context.entries);
  };
  return entry;
}

}  // namespace vacancy
