// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/prefix/radix/run_list.hpp"

namespace vacancy {

/// Consecutive token slots of the pool, or consecutive pages.
struct SlotRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  bool continues(const SlotRun& previous) const { return first == previous.first + previous.count; }
  bool operator==(const SlotRun&) const = default;
};

using SlotRuns = RunList<SlotRun>;
using SlotView = RunView<SlotRun>;

/// An ordered list of free slots or pages, open at both ends.
class FreeList {
 public:
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::deque<SlotRun>& runs() const { return runs_; }

  void push_back(SlotRun run);
  void push_front(SlotRun run);
  /// Takes the first elements, as many as lie in one run but at most `count`.
  SlotRun pop_front(std::uint32_t count);
  /// All elements of both lists in ascending order; `other` ends empty.
  void merge_sorted(FreeList& other);

 private:
  std::deque<SlotRun> runs_;
  std::uint32_t size_ = 0;
};

/// Gives slots of a pool to sequences (S9). With `need_sort`, what comes back waits in a second
/// list until the free list runs short, then both are sorted into one.
class SlotAllocator {
 public:
  virtual ~SlotAllocator() = default;

  /// Slots that can be had, those that wait to be sorted included.
  virtual std::uint32_t available() const = 0;
  /// Takes `count` slots for the positions after those that have `slots`, and appends them. Without
  /// enough free slots nothing is taken and the result is false; a sort stays.
  virtual bool take(std::uint32_t count, SlotRuns& slots) = 0;
  virtual void give_back(SlotView slots) = 0;

  /// Slots or pages, next to be taken first.
  const FreeList& free_list() const { return free_; }
  /// Slots or pages that wait to be sorted; always empty without `need_sort`.
  const FreeList& release_list() const { return released_; }
  bool need_sort() const { return need_sort_; }
  std::uint32_t slots() const { return slots_; }

 protected:
  SlotAllocator(std::uint32_t slots, bool need_sort) : slots_(slots), need_sort_(need_sort) {}
  SlotAllocator(const SlotAllocator&) = default;
  SlotAllocator& operator=(const SlotAllocator&) = default;

  /// The list that slots come back to.
  FreeList& returns() { return need_sort_ ? released_ : free_; }
  void sort_if(bool short_of_slots) {
    if (need_sort_ && short_of_slots && !released_.empty()) free_.merge_sorted(released_);
  }

  std::uint32_t slots_;
  bool need_sort_;
  FreeList free_, released_;
};

/// Slots 1 … `slots`, one by one: from the head of the list, back to its tail. Slot 0 is padding.
class TokenSlotAllocator final : public SlotAllocator {
 public:
  explicit TokenSlotAllocator(std::uint32_t slots, bool need_sort = false);

  std::uint32_t available() const override { return free_.size() + released_.size(); }
  bool take(std::uint32_t count, SlotRuns& slots) override;
  void give_back(SlotView slots) override;
};

/// Pages 1 … `slots` / `page_size`; page p has the slots from p · page_size on. A sequence fills
/// its last page before it takes another; pages that come back in one call go, ascending and
/// without repetition, to the head of the list. Page 0 is padding.
class PagedSlotAllocator final : public SlotAllocator {
 public:
  PagedSlotAllocator(std::uint32_t slots, std::uint32_t page_size, bool need_sort = false);

  std::uint32_t page_size() const { return page_size_; }
  std::uint32_t available() const override {
    return (free_.size() + released_.size()) * page_size_;
  }
  bool take(std::uint32_t count, SlotRuns& slots) override;
  void give_back(SlotView slots) override;

 private:
  std::uint32_t page_size_;
  std::vector<SlotRun> pages_;  // scratch of give_back
};

/// The engine's allocator for a pool of `pages` pages: slot by slot where a page is one.
std::unique_ptr<SlotAllocator> make_slot_allocator(std::uint32_t page_size, std::uint32_t pages,
                                                   bool need_sort);

}  // namespace vacancy
