// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/slot_grid.hpp"

#include <cmath>

namespace vacancy::gui {

SlotGrid::SlotGrid(const MapLayout& layout, QRect cell, std::uint32_t block_size)
    : frame_(cell.adjusted(0, 0, -layout.gap(), -layout.gap())), slots_(block_size) {
  const double scale = layout.scale();
  const int pitch = layout.zoom().pitch;
  across_ = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(block_size))));
  down_ = (static_cast<int>(block_size) + across_ - 1) / across_;
  const int title = pitch >= 96 ? 20 : pitch >= 56 ? 14 : 0;
  const int margin = pitch >= 96 ? 2 : pitch >= 56 ? 1 : 0;
  const auto px = [scale](int v) { return static_cast<int>(std::lround(v * scale)); };
  title_ = QRect(frame_.topLeft(), QSize(frame_.width(), px(title)));
  area_ = frame_.adjusted(px(margin), px(title), -px(margin), -px(margin));
  // A gap between slots as long as it leaves most of the room to them.
  gap_ = area_.width() / across_ >= 4 ? std::max(1, px(1)) : 0;
}

QRect SlotGrid::slot(std::uint32_t index) const {
  const int column = static_cast<int>(index) % across_, row = static_cast<int>(index) / across_;
  // The last slot of a row ends where the area does.
  const int width = area_.width() + gap_, height = area_.height() + gap_;
  const int left = column * width / across_, right = (column + 1) * width / across_;
  const int top = row * height / down_, bottom = (row + 1) * height / down_;
  return {area_.x() + left, area_.y() + top, right - left - gap_, bottom - top - gap_};
}

std::optional<std::uint32_t> SlotGrid::slot_at(QPoint pixel) const {
  for (std::uint32_t i = 0; i < slots_; ++i)
    if (slot(i).adjusted(0, 0, gap_, gap_).contains(pixel)) return i;
  return std::nullopt;
}

}  // namespace vacancy::gui
