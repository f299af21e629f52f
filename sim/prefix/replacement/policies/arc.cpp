// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/prefix/replacement/ghost_lists.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"
#include "sim/prefix/replacement/queued_policy.hpp"

namespace vacancy {
namespace {

// The paper's T1 and B1, T2 and B2: blocks and ghosts of contents used once, more than once.
enum List : std::uint32_t { once, often };

/// Megiddo, Modha, FAST'03, Figure 4. A miss on a ghost moves the target size p of T1 before the
/// victim is chosen, so the first call that names the content, victim() or inserted(), does it.
/// B1 and B2 are cut after an insertion instead of before: the same contents stay.
class Arc final : public QueuedPolicy {
 public:
  explicit Arc(std::uint32_t entries)
      : QueuedPolicy(2, entries), capacity_(entries), ghosts_(2), contents_(entries) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    recall(access.content);
    const bool known = access.content != no_content && recalled_ == access.content;
    recalled_ = no_content;
    contents_[entry.value()] = access.content;
    queues_.push(known ? often : once, entry);
    cut_ghosts();
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override { queues_.move(entry, often); }
  void released(EntryId entry) override { queues_.renew(entry); }
  void removed(EntryId entry, Removal how) override {
    if (how == Removal::evicted) ghosts_.push(queues_.queue_of(entry), contents_[entry.value()]);
    QueuedPolicy::removed(entry, how);
  }

  /// REPLACE(x, p).
  std::optional<EntryId> victim(const BlockAccess& incoming) override {
    recall(incoming.content);
    const bool from_often =
        incoming.content != no_content && recalled_ == incoming.content && recalled_from_ == often;
    const double size = queues_.size(once);
    const List first = size > target_ || (from_often && size == target_) ? once : often;
    const auto found = queues_.front(first);
    return found ? found : queues_.front(first == once ? often : once);
  }

 private:
  /// Takes a content out of the ghosts and adapts p, once for each miss.
  void recall(ContentIndex content) {
    const double in_once = ghosts_.size(once), in_often = ghosts_.size(often);
    if (ghosts_.in(once, content)) {
      target_ =
          std::min(target_ + std::max(in_often / in_once, 1.0), static_cast<double>(capacity_));
      recalled_from_ = once;
    } else if (ghosts_.in(often, content)) {
      target_ = std::max(target_ - std::max(in_once / in_often, 1.0), 0.0);
      recalled_from_ = often;
    } else {
      return;
    }
    ghosts_.remove(content);
    recalled_ = content;
  }

  /// |T1| + |B1| <= c, |T1| + |T2| + |B1| + |B2| <= 2c.
  void cut_ghosts() {
    const std::uint64_t c = capacity_;
    while (ghosts_.size(once) > 0 && std::uint64_t{queues_.size(once)} + ghosts_.size(once) > c)
      ghosts_.remove_oldest(once);
    while (ghosts_.size(often) > 0 && std::uint64_t{queues_.size(once)} + queues_.size(often) +
                                              ghosts_.size(once) + ghosts_.size(often) >
                                          2 * c)
      ghosts_.remove_oldest(often);
  }

  std::uint32_t capacity_;
  GhostLists ghosts_;
  std::vector<ContentIndex> contents_;  // of an entry
  double target_ = 0;                   // the paper's p
  ContentIndex recalled_ = no_content;  // was a ghost until now and is about to be inserted
  List recalled_from_ = once;
};

}  // namespace

ReplacementEntry arc_entry() {
  return entry_of<Arc>("arc",
                       "Adaptive replacement cache: one LRU list of blocks used once and one of "
                       "blocks used more often, whose shares follow hits on evicted contents.",
                       "Megiddo, Modha, FAST'03, Figure 4");
}

}  // namespace vacancy
