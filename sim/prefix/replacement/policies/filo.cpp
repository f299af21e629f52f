// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entries.hpp"

namespace vacancy {
namespace {

/// Key: the insertion, newest first.
class Filo final : public KeyedPolicy {
 public:
  using KeyedPolicy::KeyedPolicy;

  void inserted(EntryId entry, const BlockAccess& /*access*/) override {
    place(entry, {~tick(), 0});
  }
  void hit(EntryId /*entry*/, const BlockAccess& /*access*/) override {}
};

}  // namespace

ReplacementEntry filo_entry() {
  ReplacementEntry entry;
  entry.info.name = "filo";
  entry.info.summary = "First in, last out: evicts the block inserted last.";
  entry.info.citation = "SGLang evict_policy.py";
  entry.make = [](const ParameterValues&,
                  const ReplacementContext& context) -> std::unique_ptr<ReplacementPolicy> {
    return std::make_unique<Filo>(context.entries);
  };
  return entry;
}

}  // namespace vacancy
