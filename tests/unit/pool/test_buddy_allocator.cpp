// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/pool/buddy_allocator.hpp"
#include "sim/units/philox.hpp"

using namespace vacancy;

namespace {

/// The units of a range, one flag each.
class Units {
 public:
  explicit Units(std::uint32_t size) : held_(size, false) {}

  void set(std::uint32_t first, std::uint32_t count, bool held) {
    for (std::uint32_t unit = first; unit < first + count; ++unit) {
      CHECK(held_[unit] != held);
      held_[unit] = held;
    }
  }
  bool all_free(std::uint32_t first, std::uint32_t count) const {
    return first + count <= held_.size() &&
           std::none_of(held_.begin() + first, held_.begin() + first + count,
                        [](bool held) { return held; });
  }
  /// Units of the largest free run of 2^k units at a multiple of 2^k.
  std::uint32_t largest_free() const {
    std::uint32_t largest = 0;
    for (std::uint32_t run = 1; run <= held_.size(); run *= 2)
      for (std::uint32_t first = 0; first < held_.size(); first += run)
        if (all_free(first, run)) largest = run;
    return largest;
  }
  /// Units of the largest such run around a free unit.
  std::uint32_t free_run_around(std::uint32_t unit) const {
    std::uint32_t run = 1;
    while (all_free(unit / (2 * run) * (2 * run), 2 * run))
      run *= 2;
    return run;
  }
  /// Units of the smallest run that cannot grow and has at least `count` units.
  std::uint32_t tightest(std::uint32_t count) const {
    std::uint32_t best = 0;
    for (std::uint32_t unit = 0; unit < held_.size(); ++unit) {
      if (held_[unit]) continue;
      const std::uint32_t run = free_run_around(unit);
      if (run >= count && (best == 0 || run < best)) best = run;
    }
    return best;
  }

 private:
  std::vector<bool> held_;
};

}  // namespace

TEST_CASE("buddies: a run has the next power of two of units, and halves are cut and join again") {
  BuddyAllocator buddies(64);
  CHECK(buddies.allocate(5) == 0);  // 8 units
  CHECK(buddies.held() == 8);
  CHECK(buddies.allocate(8) == 8);
  CHECK(buddies.allocate(17) == 32);
  CHECK(buddies.largest_free() == 16);
  CHECK(buddies.free() == 16);
  CHECK_FALSE(buddies.allocate(17));
  buddies.release(0);
  CHECK(buddies.largest_free() == 16);
  CHECK(buddies.free() == 24);  // free, but in two runs that are no buddies
  CHECK_FALSE(buddies.allocate(17));
  buddies.release(8);
  CHECK(buddies.largest_free() == 32);
  buddies.release(32);
  CHECK(buddies.largest_free() == 64);
  buddies.check_invariants();
}

TEST_CASE("buddies: any size is covered by the runs of its binary digits") {
  BuddyAllocator buddies(15'700);
  CHECK(buddies.free() == 15'700);
  CHECK(buddies.largest_free() == 8192);
  for (int i = 0; i < 7; ++i)
    CHECK(buddies.allocate(2048).has_value());
  CHECK_FALSE(buddies.allocate(2048));
  CHECK(buddies.free() == 15'700 - 7 * 2048);
  CHECK(buddies.largest_free() == 1024);
  buddies.check_invariants();

  BuddyAllocator nothing(0);
  CHECK(nothing.largest_free() == 0);
  CHECK_FALSE(nothing.allocate(1));
  BuddyAllocator one(1);
  CHECK(one.allocate(1) == 0);
  CHECK_FALSE(one.allocate(1));
}

TEST_CASE("buddies: random operations, against one flag for each unit") {
  const PhiloxKey key = philox_key(1);
  for (std::uint32_t trial = 0; trial < 40; ++trial) {
    const std::uint32_t size = 1 + philox4x32_10({trial, 1, 0, 0}, key)[0] % 300;
    BuddyAllocator buddies(size);
    Units units(size);
    std::map<std::uint32_t, std::uint32_t> held;  // first unit -> units
    std::uint32_t sum = 0;
    for (std::uint32_t step = 0; step < 300; ++step) {
      const auto draw = philox4x32_10({trial, 2, step, 0}, key);
      if (held.empty() || draw[0] % 5 < 3) {
        const std::uint32_t count = 1 + draw[1] % (draw[2] % 4 == 0 ? size : size / 16 + 1);
        const std::uint32_t run = BuddyAllocator::granted(count);
        const std::uint32_t tightest = units.tightest(run);
        const auto first = buddies.allocate(count);
        REQUIRE(first.has_value() == (tightest > 0));  // exactly if an aligned run is free
        if (!first) continue;
        REQUIRE(*first % run == 0);
        REQUIRE(units.free_run_around(*first) == tightest);
        units.set(*first, run, true);
        held[*first] = run;
        sum += run;
      } else {
        auto gone = held.begin();
        std::advance(gone, static_cast<std::ptrdiff_t>(draw[1] % held.size()));
        buddies.release(gone->first);
        units.set(gone->first, gone->second, false);
        sum -= gone->second;
        held.erase(gone);
      }
      buddies.check_invariants();
      REQUIRE(buddies.held() == sum);
      REQUIRE(buddies.largest_free() == units.largest_free());
    }
    for (const auto& [first, run] : held)
      buddies.release(first);
    buddies.check_invariants();
    CHECK(buddies.free() == size);
    CHECK(buddies.largest_free() == std::bit_floor(size));
  }
}
