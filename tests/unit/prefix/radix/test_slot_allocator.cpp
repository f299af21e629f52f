// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::flat;
using Numbers = std::vector<std::uint32_t>;

namespace {

SlotRuns slots(std::initializer_list<SlotRun> runs) {
  SlotRuns list;
  for (const SlotRun& run : runs)
    list.append(run);
  return list;
}

}  // namespace

TEST_CASE("S9: token slots leave at the head and come back at the tail") {
  TokenSlotAllocator allocator(6);
  SlotRuns taken;
  REQUIRE(allocator.take(4, taken));
  CHECK(flat(taken) == Numbers{1, 2, 3, 4});
  allocator.give_back(slots({{3, 1}, {1, 2}}));
  CHECK(flat(allocator.free_list()) == Numbers{5, 6, 3, 1, 2});
  CHECK_FALSE(allocator.take(6, taken));
  CHECK(allocator.available() == 5);
  REQUIRE(allocator.take(4, taken));
  CHECK(flat(taken) == Numbers{1, 2, 3, 4, 5, 6, 3, 1});
}

TEST_CASE("S9: with need_sort, token slots wait until the free list is too short") {
  TokenSlotAllocator allocator(6, true);
  SlotRuns taken;
  REQUIRE(allocator.take(4, taken));
  allocator.give_back(slots({{4, 1}, {1, 1}}));
  CHECK(flat(allocator.free_list()) == Numbers{5, 6});
  CHECK(flat(allocator.release_list()) == Numbers{4, 1});
  CHECK(allocator.available() == 4);
  REQUIRE(allocator.take(2, taken));
  CHECK(flat(allocator.release_list()) == Numbers{4, 1});
  CHECK_FALSE(allocator.take(3, taken));
  CHECK(flat(allocator.free_list()) == Numbers{1, 4});
  CHECK(allocator.release_list().empty());
}

TEST_CASE("S9: a sequence fills its last page before it takes another") {
  PagedSlotAllocator allocator(16, 4);
  SlotRuns taken, other;
  REQUIRE(allocator.take(6, taken));
  CHECK(flat(taken) == Numbers{4, 5, 6, 7, 8, 9});
  REQUIRE(allocator.take(1, other));
  REQUIRE(allocator.take(3, taken));
  CHECK(flat(taken) == Numbers{4, 5, 6, 7, 8, 9, 10, 11, 16});
  CHECK(allocator.available() == 0);
  REQUIRE(allocator.take(3, other));
  CHECK(flat(other) == Numbers{12, 13, 14, 15});
  CHECK_FALSE(allocator.take(4, taken));
  CHECK(taken.size() == 9);
}

TEST_CASE("S9: pages come back to the head: distinct, ascending, one group a call") {
  PagedSlotAllocator allocator(24, 4);
  SlotRuns taken;
  REQUIRE(allocator.take(20, taken));
  allocator.give_back(slots({{12, 4}, {4, 2}, {16, 1}, {6, 1}}));
  CHECK(flat(allocator.free_list()) == Numbers{1, 3, 4, 6});
  allocator.give_back(slots({{20, 1}}));
  CHECK(flat(allocator.free_list()) == Numbers{5, 1, 3, 4, 6});
  allocator.give_back(SlotRuns{});
  CHECK(flat(allocator.free_list()) == Numbers{5, 1, 3, 4, 6});
}

TEST_CASE("S9: paged need_sort sorts when pages of the take and two more exceed the free list") {
  PagedSlotAllocator allocator(32, 4, true);
  SlotRuns taken, other;
  REQUIRE(allocator.take(8, taken));
  allocator.give_back(slots({{8, 4}}));
  allocator.give_back(slots({{4, 4}}));
  CHECK(flat(allocator.release_list()) == Numbers{1, 2});
  REQUIRE(allocator.take(16, other));
  CHECK(flat(other).front() == 12);
  CHECK(flat(allocator.release_list()) == Numbers{1, 2});
  // Two pages are free and one is wanted: the engine sorts although the take would have fitted.
  REQUIRE(allocator.take(4, other));
  CHECK(flat(other).back() == 7);
  CHECK(flat(allocator.free_list()) == Numbers{2, 7, 8});
}
