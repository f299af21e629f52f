// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "gui/model/pool_view.hpp"

namespace vacancy::gui {

/// What a slot of the device's pool is; every slot is one of these. Of a live one: pinned before
/// shared before live.
enum class SlotClass : std::uint8_t { live, shared, pinned, hole, tail, cached_free, free };
inline constexpr std::size_t slot_class_count = 7;

/// Slots by class.
struct SlotClasses {
  std::array<std::uint64_t, slot_class_count> slots{};

  std::uint64_t& operator[](SlotClass c) { return slots[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](SlotClass c) const { return slots[static_cast<std::size_t>(c)]; }
  std::uint64_t total() const {
    return std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
  }
  std::uint64_t all_live() const {
    return (*this)[SlotClass::live] + (*this)[SlotClass::shared] + (*this)[SlotClass::pinned];
  }
  std::uint64_t held() const {
    return all_live() + (*this)[SlotClass::hole] + (*this)[SlotClass::tail];
  }
  bool operator==(const SlotClasses&) const = default;
};

/// The class of a live slot in a block.
inline SlotClass live_class(std::uint8_t flags, std::uint32_t references) {
  if ((flags & pinned) != 0) return SlotClass::pinned;
  return references > 1 ? SlotClass::shared : SlotClass::live;
}

}  // namespace vacancy::gui
