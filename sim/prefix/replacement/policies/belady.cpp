// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

/// Key: the next use, furthest first; blocks that are never used again in the order of last use.
///
/// Among pinned blocks it is MIN over those that may go: the unpinned block with the furthest next
/// use. An engine writes what it computes and does not ask for admission, so there is no bypass,
/// and the result is no longer an upper bound: pins depend on the schedule.
class Belady final : public KeyedPolicy {
 public:
  struct Options {
    bool bypass = true;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>().add("bypass", &Options::bypass, "", {},
                                   "Whether a block whose next use lies behind that of every "
                                   "cached block is not inserted at all.");
    return table;
  }

  Belady(Options options, std::uint32_t entries) : KeyedPolicy(entries), options_(options) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    place(entry, {~access.next_use, tick()});
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    move(entry, {~access.next_use, tick()});
  }
  bool admits(const BlockAccess& incoming) const override {
    return !options_.bypass || (first() && first_key().rank < ~incoming.next_use);
  }

 private:
  Options options_;
};

}  // namespace

ReplacementEntry belady_entry() {
  ReplacementEntry entry =
      entry_of<Belady>("belady",
                       "Evicts the block whose next use is furthest away; the most hits that any "
                       "policy can have, since it knows the future.",
                       "Belady, IBM Systems Journal 5(2), 1966 (MIN); Mattson, Gecsei, Slutz, "
                       "Traiger, IBM Systems Journal 9(2), 1970 (proof)");
  entry.needs_next_use = true;
  return entry;
}

}  // namespace vacancy
