// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <cstdint>
#include <optional>

#include "gui/paint/map_layout.hpp"

namespace vacancy::gui {

/// The slots of a block inside its cell, in their true order, ⌈√B⌉ across. Device pixels.
class SlotGrid {
 public:
  /// `cell` with its gap. A title stands above the slots where the pitch is 56 or more.
  SlotGrid(const MapLayout& layout, QRect cell, std::uint32_t block_size);

  QRect frame() const { return frame_; }  // the cell without its gap
  QRect title() const { return title_; }  // empty where there is none
  QRect slot(std::uint32_t index) const;
  std::optional<std::uint32_t> slot_at(QPoint pixel) const;

 private:
  QRect frame_, title_, area_;
  int across_, down_, gap_;
  std::uint32_t slots_;
};

}  // namespace vacancy::gui
