// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/prefix/replacement/frequency_sketch.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {
namespace {

/// Einziger, Friedman, Manes, ACM TOS 13(4), 2017, section 4: the least recently used block of a
/// full window stays only if it is used more often than the main cache's victim. Ours: equal counts
/// keep the main cache's block, and there is no doorkeeper.
class WTinyLfu final : public QueuedPolicy {
 public:
  struct Options {
    double window_share = 0.01;
    double protected_share = 0.8;
    std::uint32_t counters = 4;
    std::uint32_t sample = 10;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("window_share", &Options::window_share, "share", {0, 1},
                 "Share of the cache that is the LRU window where new blocks enter; at least one "
                 "block.")
            .add("protected_share", &Options::protected_share, "share", {0, 1},
                 "Share of the rest, an SLRU, that its protected segment may fill.")
            .add("counters", &Options::counters, "", {1, 64},
                 "Counters of the frequency sketch per block of the cache, in each of four rows.")
            .add("sample", &Options::sample, "", {1, 1000},
                 "Uses per block of the cache after which all counters are halved.");
    return table;
  }

  WTinyLfu(Options options, std::uint32_t entries)
      : QueuedPolicy(3, entries),
        window_limit_(std::max(1u, static_cast<std::uint32_t>(options.window_share * entries))),
        guarded_limit_(static_cast<std::uint32_t>(options.protected_share *
                                                  (entries - std::min(entries, window_limit_)))),
        sketch_(std::uint64_t{options.counters} * entries, std::uint64_t{options.sample} * entries),
        contents_(entries) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    contents_[entry.value()] = access.content;
    sketch_.add(access.content);
    queues_.push(window, entry);
    if (queues_.size(window) > window_limit_)
      if (const auto oldest = queues_.front(window)) queues_.move(*oldest, probation);
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    sketch_.add(access.content);
    if (queues_.queue_of(entry) != probation) {
      queues_.renew(entry);
      return;
    }
    queues_.move(entry, guarded);
    if (queues_.size(guarded) > guarded_limit_)
      if (const auto oldest = queues_.front(guarded)) queues_.move(*oldest, probation);
  }
  void released(EntryId entry) override { queues_.renew(entry); }

  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    const auto candidate = queues_.front(window);
    auto main = queues_.front(probation);
    if (!main) main = queues_.front(guarded);
    if (!candidate || !main) return candidate ? candidate : main;
    if (frequency(*candidate) <= frequency(*main)) return candidate;
    queues_.move(*candidate, probation);
    return main;
  }

 private:
  enum Queue : std::uint32_t { window, probation, guarded };

  std::uint32_t frequency(EntryId entry) const {
    return sketch_.estimate(contents_[entry.value()]);
  }

  std::uint32_t window_limit_, guarded_limit_;  // blocks
  FrequencySketch sketch_;
  std::vector<ContentIndex> contents_;  // of an entry
};

}  // namespace

ReplacementEntry w_tinylfu_entry() {
  return entry_of<WTinyLfu>(
      "w_tinylfu",
      "W-TinyLFU: new blocks pass a small LRU window and enter a segmented LRU only if they are "
      "used more often than its victim, as a sketch of past uses says.",
      "Einziger, Friedman, Manes, ACM Transactions on Storage 13(4), 2017");
}

}  // namespace vacancy
