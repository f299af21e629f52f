// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entries.hpp"

namespace vacancy {
namespace {

/// Key: the last use, newest first.
class Mru final : public KeyedPolicy {
 public:
  using KeyedPolicy::KeyedPolicy;

  void inserted(EntryId entry, const BlockAccess& /*access*/) override {
    place(entry, {~tick(), 0});
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override { move(entry, {~tick(), 0}); }
  void released(EntryId entry) override { move(entry, {~tick(), 0}); }
};

}  // namespace

ReplacementEntry mru_entry() {
  ReplacementEntry entry;
  entry.info.name = "mru";
  entry.info.summary = "Most recently used: evicts the block whose last use is the newest.";
  entry.info.citation = "SGLang evict_policy.py";
  entry.make = [](const ParameterValues&,
                  const ReplacementContext& context) -> std::unique_ptr<ReplacementPolicy> {
    return std::make_unique<Mru>(context.entries);
  };
  return entry;
}

}  // namespace vacancy
