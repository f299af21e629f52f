// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/prefix/replacement/ghost_lists.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {
namespace {

/// Yang et al., SOSP'23, Algorithm 1. Ours: one block leaves at a time, so when a promotion fills
/// the main queue its victim is the one, and the small queue is looked at again for the next.
class S3Fifo final : public QueuedPolicy {
 public:
  struct Options {
    double small_share = 0.1;
    double ghost_share = 0.9;
    std::uint32_t promotion_hits = 2;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("small_share", &Options::small_share, "share", {0, 1},
                 "Share of the cache that the small queue, where new blocks enter, may fill before "
                 "it gives the victims; at least one block.")
            .add("ghost_share", &Options::ghost_share, "share", {0, 16},
                 "Evicted contents that the ghost queue remembers, as a share of the cache; the "
                 "paper's has as many as the main queue has blocks.")
            .add("promotion_hits", &Options::promotion_hits, "", {1, 3},
                 "Hits in the small queue from which on a block moves to the main queue instead of "
                 "going.");
    return table;
  }

  S3Fifo(Options options, std::uint32_t entries)
      : QueuedPolicy(2, entries),
        options_(options),
        small_limit_(std::max(1u, static_cast<std::uint32_t>(options.small_share * entries))),
        main_limit_(entries - std::min(entries, small_limit_)),
        ghost_limit_(static_cast<std::uint32_t>(
            std::min(options.ghost_share * entries, static_cast<double>(no_content.value())))),
        ghosts_(1),
        contents_(entries),
        hits_(entries) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    contents_[entry.value()] = access.content;
    hits_[entry.value()] = 0;
    const bool ghost = ghosts_.in(0, access.content);
    if (ghost) ghosts_.remove(access.content);
    queues_.push(ghost ? main_queue : small_queue, entry);
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override {
    std::uint8_t& hits = hits_[entry.value()];
    hits = std::min<std::uint8_t>(hits + 1, most_hits);
  }
  void removed(EntryId entry, Removal how) override {
    if (how == Removal::evicted && queues_.queue_of(entry) == small_queue && ghost_limit_ > 0) {
      if (ghosts_.size(0) == ghost_limit_) ghosts_.remove_oldest(0);
      ghosts_.push(0, contents_[entry.value()]);
    }
    QueuedPolicy::removed(entry, how);
  }

  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    if (queues_.size(small_queue) >= small_limit_)
      if (const auto found = victim_of_small()) return found;
    if (const auto found = victim_of_main()) return found;
    if (const auto found = victim_of_small()) return found;
    return victim_of_main();  // where the last of the small queue may have moved
  }

 private:
  enum Queue : std::uint32_t { small_queue, main_queue };

  static constexpr std::uint8_t most_hits = 3;  // two bits

  std::optional<EntryId> victim_of_small() {
    while (const auto oldest = queues_.front(small_queue)) {
      if (hits_[oldest->value()] < options_.promotion_hits) return oldest;
      hits_[oldest->value()] = 0;
      queues_.move(*oldest, main_queue);
      if (queues_.size(main_queue) > main_limit_) return victim_of_main();
    }
    return std::nullopt;
  }

  std::optional<EntryId> victim_of_main() {
    while (const auto oldest = queues_.front(main_queue)) {
      if (hits_[oldest->value()] == 0) return oldest;
      --hits_[oldest->value()];
      queues_.renew(*oldest);
    }
    return std::nullopt;
  }

  Options options_;
  std::uint32_t small_limit_, main_limit_, ghost_limit_;  // blocks
  GhostLists ghosts_;
  std::vector<ContentIndex> contents_;  // of an entry
  std::vector<std::uint8_t> hits_;      // of an entry
};

}  // namespace

ReplacementEntry s3_fifo_entry() {
  return entry_of<S3Fifo>("s3_fifo",
                          "S3-FIFO: new blocks pass a small queue that only those used again leave "
                          "for the main queue; a ghost queue lets evicted ones return there.",
                          "Yang, Zhang, Qiu, Yue, Vinayak, SOSP'23, section 4");
}

}  // namespace vacancy
