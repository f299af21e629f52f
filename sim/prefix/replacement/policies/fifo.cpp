// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entries.hpp"
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
  ReplacementEntry entry;
  entry.info.name = "fifo";
  entry.info.summary = "First in, first out: evicts the block inserted longest ago.";
  entry.info.citation = "SGLang evict_policy.py";
  entry.make = [](const ParameterValues&,
                  const ReplacementContext& context) -> std::unique_ptr<ReplacementPolicy> {
    return std::make_unique<Fifo>(context.entries);
  };
  return entry;
}

}  // namespace vacancy
