// SPDX-License-Identifier: Apache-2.0
#include "gui/model/legend.hpp"

#include <algorithm>
#include <numeric>

#include "gui/model/number_format.hpp"

namespace vacancy::gui {

std::string_view class_name(SlotClass slot_class) {
  static constexpr std::string_view names[] = {"Live", "Live, shared", "Live, pinned", "Hole",
                                               "Tail", "Cached-free",  "Free"};
  return names[static_cast<std::size_t>(slot_class)];
}

std::vector<std::uint32_t> shares_per_mille(std::span<const std::uint64_t> counts) {
  std::vector<std::uint32_t> shares(counts.size(), 0);
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (total == 0) return shares;
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> rest(counts.size());
  std::uint32_t left = 1'000;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // A pool has at most 2^35 slots.
    shares[i] = static_cast<std::uint32_t>(counts[i] * 1'000 / total);
    rest[i] = counts[i] * 1'000 % total;
    left -= shares[i];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t i = 0; i < left; ++i)
    ++shares[order[i]];
  return shares;
}

std::array<LegendRow, slot_class_count> legend(const SlotClasses& slots) {
  const std::vector<std::uint32_t> shares = shares_per_mille(slots.slots);
  const bool any = slots.total() > 0;
  std::array<LegendRow, slot_class_count> rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {static_cast<SlotClass>(i), slots.slots[i],
               number(static_cast<std::int64_t>(slots.slots[i])),
               any ? percent(shares[i] / 1'000.0) : "–"};
  return rows;
}

std::string map_text(const ReplicaFigures& figures) {
  const std::uint64_t held = figures.slots.held();
  const std::uint64_t unused = figures.slots[SlotClass::hole] + figures.slots[SlotClass::tail];
  std::string text = part_of(figures.free_blocks(), figures.blocks, "block") + " free";
  if (held == 0) return text + ", none held";
  return text + ", " + percent(static_cast<double>(unused) / static_cast<double>(held)) +
         " of held slots are holes or tail";
}

}  // namespace vacancy::gui
