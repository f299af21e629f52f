// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/replica.hpp"
#include "gui/model/slot_classes.hpp"

namespace vacancy::gui {

/// "Live", "Live, shared", …
std::string_view class_name(SlotClass slot_class);

struct LegendRow {
  SlotClass slot_class;
  std::uint64_t slots = 0;
  std::string count;  // "18,370"
  std::string share;  // "44.4 %"
};
/// All classes in their order; the shares as written sum to 100.0 %, by largest remainders, and are
/// "–" where the pool has no slots.
std::array<LegendRow, slot_class_count> legend(const SlotClasses& slots);
/// Tenths of a percent of each count, which sum to 1,000; all 0 if the counts are.
std::vector<std::uint32_t> shares_per_mille(std::span<const std::uint64_t> counts);

/// The map in a sentence: "412 of 1,000 blocks free, 31.0 % of held slots are holes or
/// tail": slots that no token uses.
std::string map_text(const ReplicaFigures& figures);

}  // namespace vacancy::gui
