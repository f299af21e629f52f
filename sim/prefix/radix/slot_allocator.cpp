// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/slot_allocator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

bool by_first(const SlotRun& a, const SlotRun& b) {
  return a.first < b.first;
}

}  // namespace

void FreeList::push_back(SlotRun run) {
  size_ += run.count;
  if (!runs_.empty() && run.continues(runs_.back()))
    runs_.back().count += run.count;
  else
    runs_.push_back(run);
}

void FreeList::push_front(SlotRun run) {
  size_ += run.count;
  if (!runs_.empty() && runs_.front().continues(run))
    runs_.front() = {run.first, run.count + runs_.front().count};
  else
    runs_.push_front(run);
}

SlotRun FreeList::pop_front(std::uint32_t count) {
  SlotRun& head = runs_.front();
  const SlotRun taken{head.first, std::min(head.count, count)};
  size_ -= taken.count;
  if (taken.count == head.count)
    runs_.pop_front();
  else
    head = {head.first + taken.count, head.count - taken.count};
  return taken;
}

void FreeList::merge_sorted(FreeList& other) {
  std::deque<SlotRun> all = std::move(runs_);
  all.insert(all.end(), other.runs_.begin(), other.runs_.end());
  std::sort(all.begin(), all.end(), by_first);
  *this = {};
  other = {};
  for (const SlotRun& run : all)
    push_back(run);
}

TokenSlotAllocator::TokenSlotAllocator(std::uint32_t slots, bool need_sort)
    : SlotAllocator(slots, need_sort) {
  VACANCY_ASSERT(slots < std::numeric_limits<std::uint32_t>::max(), "slots are numbered from 1");
  free_.push_back({1, slots});
}

bool TokenSlotAllocator::take(std::uint32_t count, SlotRuns& slots) {
  sort_if(count > free_.size());
  if (count > free_.size()) return false;
  while (count > 0) {
    const SlotRun run = free_.pop_front(count);
    slots.append(run);
    count -= run.count;
  }
  return true;
}

void TokenSlotAllocator::give_back(SlotView slots) {
  slots.for_each([&](const SlotRun& run) { returns().push_back(run); });
}

PagedSlotAllocator::PagedSlotAllocator(std::uint32_t slots, std::uint32_t page_size, bool need_sort)
    : SlotAllocator(slots, need_sort), page_size_(page_size) {
  VACANCY_ASSERT(page_size > 0 && slots % page_size == 0, "a pool is a number of whole pages");
  VACANCY_ASSERT(slots <= std::numeric_limits<std::uint32_t>::max() - page_size,
                 "the slots of page 0 are numbered too");
  free_.push_back({1, slots / page_size});
}

bool PagedSlotAllocator::take(std::uint32_t count, SlotRuns& slots) {
  if (count == 0) return true;
  // The engine counts whole pages, one more for the request and one that the batch may start.
  sort_if(count / page_size_ + 2 > free_.size());
  const std::uint32_t started = slots.size() % page_size_;
  const std::uint32_t fill = started == 0 ? 0 : std::min(count, page_size_ - started);
  const std::uint32_t rest = count - fill;
  if (rest / page_size_ + (rest % page_size_ != 0) > free_.size()) return false;
  if (fill > 0) {
    const SlotRun last = slots.runs().back();
    slots.append({last.first + last.count, fill});
  }
  for (std::uint32_t left = rest; left > 0;) {
    const std::uint32_t pages = left / page_size_ + (left % page_size_ != 0);
    const SlotRun run = free_.pop_front(pages);
    const std::uint32_t taken = std::min(left, run.count * page_size_);
    slots.append({run.first * page_size_, taken});
    left -= taken;
  }
  return true;
}

void PagedSlotAllocator::give_back(SlotView slots) {
  pages_.clear();
  slots.for_each([&](const SlotRun& run) {
    const std::uint32_t first = run.first / page_size_;
    pages_.push_back({first, (run.first + run.count - 1) / page_size_ - first + 1});
  });
  std::sort(pages_.begin(), pages_.end(), by_first);
  // Slots of one page can come in two runs: a page in common is given back once.
  std::size_t kept = 0;
  for (const SlotRun& run : pages_) {
    SlotRun* last = kept == 0 ? nullptr : &pages_[kept - 1];
    if (last != nullptr && run.first <= last->first + last->count)
      last->count = std::max(last->count, run.first + run.count - last->first);
    else
      pages_[kept++] = run;
  }
  for (std::size_t i = kept; i-- > 0;)
    returns().push_front(pages_[i]);
}

std::unique_ptr<SlotAllocator> make_slot_allocator(std::uint32_t page_size, std::uint32_t pages,
                                                   bool need_sort) {
  if (page_size == 1) return std::make_unique<TokenSlotAllocator>(pages, need_sort);
  return std::make_unique<PagedSlotAllocator>(pages * page_size, page_size, need_sort);
}

}  // namespace vacancy
