// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/map_scene.hpp"

#include <algorithm>
#include <array>

#include "gui/model/number_format.hpp"

namespace vacancy::gui {

std::string_view colouring_name(Colouring colouring) {
  constexpr std::array<std::string_view, 7> names = {"State", "Sequence",  "Tenant", "References",
                                                     "Age",   "Precision", "Score"};
  return names[static_cast<std::size_t>(colouring)];
}

CellHeights cell_heights(int height, std::uint32_t live, std::uint32_t holes, std::uint32_t tail) {
  const std::uint64_t all = std::uint64_t{live} + holes + tail;
  if (all == 0) return {};
  const auto share = [&](std::uint32_t part) {
    const auto exact =
        (2 * std::uint64_t{part} * static_cast<std::uint64_t>(height) + all) / (2 * all);
    return part == 0 ? 0 : std::max(1, static_cast<int>(exact));
  };
  CellHeights h{share(live), share(holes), share(tail)};
  // Rounding gives or takes a pixel of the highest.
  while (h.live + h.hole + h.tail != height) {
    const int by = h.live + h.hole + h.tail > height ? -1 : 1;
    int* most = &h.hole;
    if (h.live > *most) most = &h.live;
    if (h.tail > *most) most = &h.tail;
    *most += by;
  }
  return h;
}

std::vector<std::string> map_caption(const MapLayout& layout, std::uint32_t blocks,
                                     std::uint32_t block_size, std::optional<BlockClass> isolated) {
  std::vector<std::string> parts;
  if (isolated) parts.push_back("only “" + std::string(class_name(*isolated)) + "” in colour");
  const auto per_cell = layout.zoom().blocks_per_cell;
  switch (layout.level()) {
    case MapLevel::image:
      parts.push_back("1 px = " + counted(per_cell, "block") +
                      (per_cell > 1 ? ", most notable shown" : ", its most notable class"));
      break;
    case MapLevel::fill:
    case MapLevel::marks:
    case MapLevel::hatch:
      parts.push_back("1 cell = 1 block of " + counted(block_size, "slot"));
      parts.emplace_back("height = share of slots");
      break;
    case MapLevel::slots:
      parts.push_back("1 cell = 1 block of " + counted(block_size, "slot"));
      parts.emplace_back("slots in their order");
      break;
    case MapLevel::numbers:
      parts.emplace_back("1 cell = 1 slot, number = token position");
      break;
  }
  parts.push_back("a row = " + counted(layout.row_length(), "block"));
  const MapLayout::Range rows = layout.visible_rows(), columns = layout.visible_columns();
  const std::uint32_t left = columns.first * per_cell, right = columns.last * per_cell;
  std::uint64_t shown = 0;
  for (std::uint32_t r = rows.first; r < rows.last; ++r) {
    const MapLayout::Row row = layout.row(r);
    const std::uint32_t there = std::min(row.count, blocks - std::min(blocks, row.first));
    shown += std::min(there, right) - std::min(there, left);
  }
  if (shown < blocks) parts.push_back(part_of(shown, blocks, "block") + " in view");
  return parts;
}

}  // namespace vacancy::gui
