// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/content_counts.hpp"
#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

/// Key: uses so far, then the last use.
class Lfu final : public KeyedPolicy {
 public:
  struct Options {
    bool remember = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>().add("remember", &Options::remember, "", {},
                                   "Whether a block's count survives its eviction; otherwise it "
                                   "starts at 1 with each insertion.");
    return table;
  }

  Lfu(Options options, std::uint32_t entries)
      : KeyedPolicy(entries), options_(options), contents_(entries, no_content) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    contents_[entry.value()] = access.content;
    place(entry, {(options_.remember ? remembered_.of(access.content) : 0) + 1, tick()});
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override {
    move(entry, {key(entry).rank + 1, tick()});
  }
  void released(EntryId entry) override { move(entry, {key(entry).rank, tick()}); }
  void removed(EntryId entry, Removal how) override {
    if (options_.remember) remembered_.set(contents_[entry.value()], key(entry).rank);
    KeyedPolicy::removed(entry, how);
  }

 private:
  Options options_;
  std::vector<ContentIndex> contents_;  // of each entry
  ContentCounts remembered_;
};

}  // namespace

ReplacementEntry lfu_entry() {
  return entry_of<Lfu>("lfu",
                       "Least frequently used: evicts the block with the fewest uses, of those the "
                       "least recently used one.",
                       "Mooncake, arXiv 2407.00079, Table 1; SGLang evict_policy.py");
}

}  // namespace vacancy
