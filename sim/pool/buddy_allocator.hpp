// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace vacancy {

/// Hands out contiguous runs of a range of units [0, size): the binary buddy system (Knuth, The Art
/// of Computer Programming 1, §2.5, algorithms R and S). A run has 2^k units and starts at a
/// multiple of 2^k; a request gets the smallest such run that holds it, cut from the smallest free
/// run that is large enough, the one freed last first.
///
/// A size that is no power of two is covered by one run for each of its binary digits, the largest
/// first: these never join.
///
/// Invariants. Free and held runs tile the range. No two free runs are buddies: they would have
/// joined.
class BuddyAllocator {
 public:
  /// At most 2^31 units.
  explicit BuddyAllocator(std::uint32_t size);

  /// Units of the run that a request for `count` of them gets.
  static constexpr std::uint32_t granted(std::uint32_t count) { return std::bit_ceil(count); }

  /// The first unit of a free run for `count` units, at least one; nothing if no free run is large
  /// enough, however many units are free. O(log size), as release() is.
  std::optional<std::uint32_t> allocate(std::uint32_t count);
  /// Gives back the held run that starts at this unit.
  void release(std::uint32_t first);

  std::uint32_t size() const { return static_cast<std::uint32_t>(units_.size()); }
  std::uint32_t free() const { return free_; }
  std::uint32_t held() const { return size() - free_; }
  /// Units of the largest free run; 0 if nothing is free.
  std::uint32_t largest_free() const { return std::bit_floor(free_orders_); }

  /// Aborts if an invariant or a count is wrong; reads everything.
  void check_invariants() const;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::uint32_t orders = 32;

  enum class State : std::uint8_t { inside, free, held };
  /// A run is described at its first unit; the others are `inside`.
  struct Unit {
    std::uint32_t previous = none, next = none;  // in the list of free runs of this order
    std::uint8_t order = 0;
    State state = State::inside;
  };

  void push(std::uint32_t first, std::uint32_t order);
  void remove(std::uint32_t first);

  std::vector<Unit> units_;
  std::array<std::uint32_t, orders> heads_;  // free runs of 2^k units
  std::uint32_t free_orders_ = 0;            // bit k: there is a free run of 2^k units
  std::uint32_t free_ = 0;
};

}  // namespace vacancy
