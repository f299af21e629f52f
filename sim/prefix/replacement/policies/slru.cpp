// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// Queue 0 is the probationary segment. An overflowing segment gives its least recently used block
/// to the recent end of the one below.
class Slru final : public QueuedPolicy {
 public:
  struct Options {
    std::uint32_t segments = 2;
    double protected_share = 0.8;
    std::uint32_t promotion_hits = 1;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("segments", &Options::segments, "", {2, 8},
                 "LRU lists, one above the other; new blocks enter the lowest, and 4 make S4LRU.")
            .add("protected_share", &Options::protected_share, "share", {0, 1},
                 "Share of the cache that all segments above the lowest may fill, in equal parts; "
                 "what overflows falls one segment. 1 with 2 segments is SGLang's rule.")
            .add("promotion_hits", &Options::promotion_hits, "", {1, 1000},
                 "Hits in a segment after which a block moves up.");
    return table;
  }

  Slru(Options options, std::uint32_t entries)
      : QueuedPolicy(options.segments, entries), options_(options), hits_(entries) {
    VACANCY_ASSERT(options.segments > 1, "a segment is above the lowest");
    const auto upper = static_cast<std::uint32_t>(options.protected_share * entries);
    limit_ = upper / (options.segments - 1);
  }

  void inserted(EntryId entry, const BlockAccess& /*access*/) override {
    hits_[entry.value()] = 0;
    queues_.push(0, entry);
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override {
    const std::uint32_t segment = queues_.queue_of(entry);
    if (++hits_[entry.value()] < options_.promotion_hits || segment + 1 == options_.segments) {
      queues_.renew(entry);
      return;
    }
    hits_[entry.value()] = 0;
    queues_.move(entry, segment + 1);
    for (std::uint32_t upper = segment + 1; upper > 0; --upper)
      shrink(upper);
  }
  void released(EntryId entry) override { queues_.renew(entry); }
  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    for (std::uint32_t segment = 0; segment < options_.segments; ++segment)
      if (const auto first = queues_.front(segment)) return first;
    return std::nullopt;
  }

 private:
  /// Pinned blocks do not fall: with many of them a segment may exceed its limit.
  void shrink(std::uint32_t segment) {
    while (queues_.size(segment) > limit_) {
      const auto last = queues_.front(segment);
      if (!last) return;
      hits_[last->value()] = 0;
      queues_.move(*last, segment - 1);
    }
  }

  Options options_;
  std::uint32_t limit_ = 0;          // blocks of a segment above the lowest
  std::vector<std::uint32_t> hits_;  // of an entry since it entered its segment
};

}  // namespace

ReplacementEntry slru_entry() {
  return entry_of<Slru>("slru",
                        "Segmented LRU: blocks used again are protected; evicts the least recently "
                        "used block of the lowest segment.",
                        "Karedla, Love, Wherry, IEEE Computer 27(3), 1994; Huang et al., SOSP'13 "
                        "(S4LRU); SGLang evict_policy.py");
}

}  // namespace vacancy
