// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/prefix/replacement/indexed_heap.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

using PageId = StrongType<struct PageIdTag, std::uint32_t>;

/// Least recently used pages: of the pages with a block that may go, the one of whose blocks the
/// last use is longest ago, and on it the block used longest ago. Evicting is no use, so a page
/// that gave a block gives all that it has before the next one does.
///
/// Looking for a victim visits the blocks of one page; all else is O(log pages).
class PageAware final : public ReplacementPolicy {
 public:
  explicit PageAware(const ReplacementContext& context)
      : blocks_per_page_(std::max(1u, context.blocks_per_page)),
        blocks_(context.entries),
        pages_((context.entries + blocks_per_page_ - 1) / blocks_per_page_),
        order_(static_cast<std::uint32_t>(pages_.size())) {}

  void inserted(EntryId entry, const BlockAccess& /*access*/) override {
    blocks_[entry.value()].open = true;
    add_open(page_of(entry));
    use(entry);
  }
  void hit(EntryId entry, const BlockAccess& /*access*/) override { use(entry); }
  void released(EntryId entry) override { use(entry); }
  void pinned(EntryId entry) override { close(entry); }
  void unpinned(EntryId entry) override {
    blocks_[entry.value()].open = true;
    add_open(page_of(entry));
  }
  void removed(EntryId entry, Removal /*how*/) override {
    if (blocks_[entry.value()].open) close(entry);
  }

  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override {
    if (order_.empty()) return std::nullopt;
    const std::uint32_t first = order_.top().value() * blocks_per_page_;
    const auto end = std::min<std::size_t>(std::size_t{first} + blocks_per_page_, blocks_.size());
    std::optional<EntryId> oldest;
    for (auto id = first; id < end; ++id)
      if (blocks_[id].open && (!oldest || blocks_[id].stamp < blocks_[oldest->value()].stamp))
        oldest = EntryId(id);
    return oldest;
  }

 private:
  struct Block {
    std::uint64_t stamp = 0;  // of its last use
    bool open = false;        // cached and unpinned
  };
  struct Page {
    std::uint64_t stamp = 0;  // of the last use of one of its blocks, there or gone
    std::uint32_t open = 0;   // blocks
  };

  PageId page_of(EntryId entry) const { return PageId(entry.value() / blocks_per_page_); }

  void use(EntryId entry) {
    const PageId page = page_of(entry);
    blocks_[entry.value()].stamp = pages_[page.value()].stamp = ++clock_;
    if (order_.contains(page)) order_.update(page, clock_);
  }
  void add_open(PageId page) {
    if (pages_[page.value()].open++ == 0) order_.push(page, pages_[page.value()].stamp);
  }
  void close(EntryId entry) {
    blocks_[entry.value()].open = false;
    const PageId page = page_of(entry);
    if (--pages_[page.value()].open == 0) order_.remove(page);
  }

  std::uint32_t blocks_per_page_;
  std::vector<Block> blocks_;
  std::vector<Page> pages_;
  IndexedHeap<PageId, std::uint64_t> order_;  // pages with open blocks
  std::uint64_t clock_ = 0;
};

}  // namespace

ReplacementEntry page_aware_entry() {
  ReplacementEntry entry = entry_of<PageAware>(
      "page_aware",
      "Least recently used device pages: evicts block after block of the page whose last use is "
      "longest ago, so that whole pages are unmapped where quotas make room.",
      "Vacancy's own");
  entry.needs_pages = true;
  return entry;
}

}  // namespace vacancy
