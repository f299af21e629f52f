// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/buddy_allocator.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

BuddyAllocator::BuddyAllocator(std::uint32_t size) : units_(size) {
  VACANCY_ASSERT(size <= std::uint32_t{1} << 31, "runs have at most 2^31 units");
  heads_.fill(none);
  for (std::uint32_t first = 0; first < size;) {
    const std::uint32_t run = std::bit_floor(size - first);
    push(first, static_cast<std::uint32_t>(std::countr_zero(run)));
    first += run;
  }
}

std::optional<std::uint32_t> BuddyAllocator::allocate(std::uint32_t count) {
  VACANCY_ASSERT(count > 0, "a run has units");
  if (count > largest_free()) return std::nullopt;
  const std::uint32_t run = granted(count);
  const auto wanted = static_cast<std::uint32_t>(std::countr_zero(run));
  auto order = static_cast<std::uint32_t>(std::countr_zero(free_orders_ & ~(run - 1)));
  const std::uint32_t first = heads_[order];
  remove(first);
  while (order > wanted) {  // keeps the lower half
    --order;
    push(first + (std::uint32_t{1} << order), order);
  }
  units_[first].order = static_cast<std::uint8_t>(order);
  units_[first].state = State::held;
  return first;
}

void BuddyAllocator::release(std::uint32_t first) {
  VACANCY_ASSERT(first < size() && units_[first].state == State::held, "a held run is released");
  std::uint32_t order = units_[first].order;
  units_[first].state = State::inside;
  for (;; ++order) {
    const std::uint32_t buddy = first ^ (std::uint32_t{1} << order);
    // A buddy that is not wholly inside the range is never free at this order.
    if (buddy >= size() || units_[buddy].state != State::free || units_[buddy].order != order)
      break;
    remove(buddy);
    first &= buddy;
  }
  push(first, order);
}

void BuddyAllocator::push(std::uint32_t first, std::uint32_t order) {
  units_[first] = {none, heads_[order], static_cast<std::uint8_t>(order), State::free};
  if (heads_[order] != none) units_[heads_[order]].previous = first;
  heads_[order] = first;
  free_orders_ |= std::uint32_t{1} << order;
  free_ += std::uint32_t{1} << order;
}

void BuddyAllocator::remove(std::uint32_t first) {
  const Unit gone = units_[first];
  (gone.previous == none ? heads_[gone.order] : units_[gone.previous].next) = gone.next;
  if (gone.next != none) units_[gone.next].previous = gone.previous;
  units_[first].state = State::inside;
  if (heads_[gone.order] == none) free_orders_ &= ~(std::uint32_t{1} << gone.order);
  free_ -= std::uint32_t{1} << gone.order;
}

void BuddyAllocator::check_invariants() const {
  std::uint64_t free_units = 0;
  std::uint32_t free_runs = 0, free_orders = 0;
  for (std::uint32_t first = 0; first < size();) {
    const Unit& run = units_[first];
    VACANCY_ASSERT(run.state != State::inside, "runs follow one another without a gap");
    const std::uint32_t length = std::uint32_t{1} << run.order;
    VACANCY_ASSERT(first % length == 0 && length <= size() - first, "a run is aligned and inside");
    for (std::uint32_t unit = first + 1; unit < first + length; ++unit)
      VACANCY_ASSERT(units_[unit].state == State::inside, "runs do not overlap");
    if (run.state == State::free) {
      free_units += length;
      free_orders |= length;
      ++free_runs;
      const std::uint32_t buddy = first ^ length;
      VACANCY_ASSERT(
          buddy >= size() || units_[buddy].state != State::free || units_[buddy].order != run.order,
          "free buddies have joined");
    }
    first += length;
  }
  VACANCY_ASSERT(free_units == free_ && free_orders == free_orders_, "free units are counted");
  std::uint32_t listed = 0;
  for (std::uint32_t order = 0; order < orders; ++order)
    for (std::uint32_t first = heads_[order], before = none; first != none;
         before = first, first = units_[first].next, ++listed)
      VACANCY_ASSERT(units_[first].state == State::free && units_[first].order == order &&
                         units_[first].previous == before,
                     "a free run is in the list of its order");
  VACANCY_ASSERT(listed == free_runs, "every free run is in a list");
}

}  // namespace vacancy
