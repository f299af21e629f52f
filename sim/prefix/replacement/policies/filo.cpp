// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

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
  return entry_of<Filo>("filo", "First in, last out: evicts the block inserted last.",
                        "SGLang evict_policy.py");
}

}  // namespace vacancy
