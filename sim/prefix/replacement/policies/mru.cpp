// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

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
  return entry_of<Mru>("mru", "Most recently used: evicts the block whose last use is the newest.",
                       "SGLang evict_policy.py");
}

}  // namespace vacancy
