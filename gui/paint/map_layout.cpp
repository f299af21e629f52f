// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/map_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vacancy::gui {
namespace {

constexpr std::uint32_t shortest_row = 8, longest_row = 65536;

std::uint32_t rows_of(const std::vector<std::uint32_t>& pools, std::uint32_t row_length) {
  std::uint32_t rows = 0;
  for (const std::uint32_t blocks : pools)
    if (blocks > 0) rows += (rows > 0 ? 1 : 0) + (blocks - 1) / row_length + 1;
  return rows;
}

int scaled(int pixels, double scale) {
  return std::max(1, static_cast<int>(std::lround(pixels * scale)));
}

bool all_fit(const std::vector<std::uint32_t>& pools, std::uint32_t row_length, int pitch,
             QSize view, double scale) {
  const auto device = static_cast<std::uint64_t>(scaled(pitch, scale));
  return device * row_length <= static_cast<std::uint64_t>(view.width()) &&
         device * rows_of(pools, row_length) <= static_cast<std::uint64_t>(view.height());
}

/// Of a pool with more blocks than pixels, by pixels a block and by what of the pool is in view.
std::uint32_t packed_row_length(const std::vector<std::uint32_t>& pools, QSize view, double scale) {
  std::uint32_t best = 64;
  const auto worth = [&](std::uint32_t row_length) {
    const MapZoom zoom = fitting_zoom(pools, row_length, view, scale);
    const double rows = rows_of(pools, row_length);
    const double shown = std::min(1.0, view.height() / scale / std::max(1.0, rows * zoom.pitch));
    return shown * zoom.pitch / zoom.blocks_per_cell;
  };
  for (std::uint32_t row_length = best * 2; row_length <= longest_row; row_length *= 2)
    if (worth(row_length) > worth(best)) best = row_length;
  return best;
}

}  // namespace

MapZoom zoomed_in(MapZoom zoom) {
  if (zoom.blocks_per_cell > 1) return {1, zoom.blocks_per_cell / 2};
  const auto* next = std::upper_bound(zoom_pitches.begin(), zoom_pitches.end(), zoom.pitch);
  return {next == zoom_pitches.end() ? zoom_pitches.back() : *next, 1};
}

MapZoom zoomed_out(MapZoom zoom, std::uint32_t row_length) {
  if (zoom.pitch <= 1) {
    const std::uint32_t wider = zoom.blocks_per_cell * 2;
    return {1, row_length % wider == 0 ? wider : zoom.blocks_per_cell};
  }
  const auto* next = std::lower_bound(zoom_pitches.begin(), zoom_pitches.end(), zoom.pitch);
  return {*(next - 1), 1};
}

MapLevel level_of(MapZoom zoom) {
  if (zoom.pitch < 2) return MapLevel::image;
  if (zoom.pitch < 8) return MapLevel::fill;
  if (zoom.pitch < 12) return MapLevel::marks;
  if (zoom.pitch < 28) return MapLevel::hatch;
  return zoom.pitch < 96 ? MapLevel::slots : MapLevel::numbers;
}

MapLayout::MapLayout(std::vector<std::uint32_t> pools, std::uint32_t row_length, MapZoom zoom,
                     QSize view, double scale)
    : row_length_(row_length), view_(view) {
  set_cells(zoom, scale);
  for (const std::uint32_t blocks : pools) {
    if (blocks == 0) continue;
    if (rows_ > 0) ++rows_;
    const std::uint32_t rows = (blocks - 1) / row_length_ + 1;
    lanes_.push_back({blocks_, blocks, rows_, rows});
    blocks_ += blocks;
    rows_ += rows;
  }
}

void MapLayout::set_cells(MapZoom zoom, double scale) {
  zoom_ = zoom;
  scale_ = scale;
  pitch_ = scaled(zoom.pitch, scale);
  const int gap = zoom.pitch >= 96 ? 8 : zoom.pitch >= 28 ? 2 : zoom.pitch >= 5 ? 1 : 0;
  gap_ = gap > 0 ? scaled(gap, scale) : 0;
}

MapLayout MapLayout::zoomed(MapZoom zoom) const {
  MapLayout result = *this;
  result.set_cells(zoom, scale_);
  result.set_origin(QPoint(0, 0));
  return result;
}

MapLayout MapLayout::rescaled(double scale) const {
  MapLayout result = *this;
  result.set_cells(zoom_, scale);
  result.view_ = (QSizeF(view_) * (scale / scale_)).toSize();
  // By whole pixels a cell, so that the same blocks are at the edges.
  result.set_origin((QPointF(origin_) * result.pitch_ / pitch_).toPoint());
  return result;
}

bool MapLayout::reveal(std::uint32_t block) {
  if (block >= blocks_) return false;
  const QRect cell = this->cell(block), view(QPoint(0, 0), view_);
  if (view.contains(cell)) return false;
  set_origin(origin_ + cell.center() - view.center());
  return true;
}

QSize MapLayout::content() const {
  return {static_cast<int>(cells_per_row()) * pitch_, static_cast<int>(rows_) * pitch_};
}

void MapLayout::set_origin(QPoint origin) {
  const QSize all = content();
  origin_ = {std::clamp(origin.x(), 0, std::max(0, all.width() - view_.width())),
             std::clamp(origin.y(), 0, std::max(0, all.height() - view_.height()))};
}

const MapLayout::Lane* MapLayout::lane_of_row(std::uint32_t row) const {
  for (const Lane& lane : lanes_)
    if (row >= lane.first_row && row - lane.first_row < lane.rows) return &lane;
  return nullptr;
}

const MapLayout::Lane& MapLayout::lane_of(std::uint32_t block) const {
  const Lane* found = lanes_.data();
  for (const Lane& lane : lanes_)
    if (block >= lane.first_block) found = &lane;
  return *found;
}

MapLayout::Row MapLayout::row(std::uint32_t row) const {
  const Lane* lane = lane_of_row(row);
  if (lane == nullptr) return {};
  const std::uint32_t before = (row - lane->first_row) * row_length_;
  return {lane->first_block + before, std::min(row_length_, lane->blocks - before)};
}

MapLayout::Range MapLayout::visible_rows() const {
  const auto first = static_cast<std::uint32_t>(origin_.y() / pitch_);
  const auto last = static_cast<std::uint32_t>((origin_.y() + view_.height() - 1) / pitch_) + 1;
  return {std::min(first, rows_), std::min(last, rows_)};
}

MapLayout::Range MapLayout::visible_columns() const {
  const auto first = static_cast<std::uint32_t>(origin_.x() / pitch_);
  const auto last = static_cast<std::uint32_t>((origin_.x() + view_.width() - 1) / pitch_) + 1;
  return {std::min(first, cells_per_row()), std::min(last, cells_per_row())};
}

QRect MapLayout::cell(std::uint32_t block) const {
  const Lane& lane = lane_of(block);
  const std::uint32_t in_lane = block - lane.first_block;
  const auto row = static_cast<int>(lane.first_row + in_lane / row_length_);
  const auto column = static_cast<int>(in_lane % row_length_ / zoom_.blocks_per_cell);
  return {column * pitch_ - origin_.x(), row * pitch_ - origin_.y(), pitch_, pitch_};
}

std::optional<std::uint32_t> MapLayout::block_at(QPoint pixel) const {
  const QPoint at = pixel + origin_;
  if (at.x() < 0 || at.y() < 0) return std::nullopt;
  const auto column = static_cast<std::uint32_t>(at.x() / pitch_) * zoom_.blocks_per_cell;
  const Row there = row(static_cast<std::uint32_t>(at.y() / pitch_));
  if (column >= there.count) return std::nullopt;
  return there.first + column;
}

std::uint32_t MapLayout::neighbour(std::uint32_t block, int columns, int rows) const {
  const Lane& lane = lane_of(block);
  const std::uint32_t in_lane = block - lane.first_block;
  const auto per_cell = static_cast<std::int64_t>(zoom_.blocks_per_cell);
  const auto length = static_cast<std::int64_t>(row_length_);
  const std::int64_t column =
      std::clamp<std::int64_t>(in_lane % row_length_ + columns * per_cell, 0, length - 1);
  // Beyond a lane's last row the next lane begins.
  auto target = static_cast<std::int64_t>(lane.first_row + in_lane / row_length_) + rows;
  target = std::clamp<std::int64_t>(target, 0, static_cast<std::int64_t>(rows_) - 1);
  Row there = row(static_cast<std::uint32_t>(target));
  while (there.count == 0)
    there = row(static_cast<std::uint32_t>(target += rows < 0 ? -1 : 1));
  return there.first + static_cast<std::uint32_t>(std::min<std::int64_t>(column, there.count - 1));
}

MapZoom fitting_zoom(const std::vector<std::uint32_t>& pools, std::uint32_t row_length, QSize view,
                     double scale) {
  for (int pitch = zoom_pitches.back(); pitch >= 1; --pitch)
    if (all_fit(pools, row_length, pitch, view, scale)) return {pitch, 1};
  const int pixel = scaled(1, scale);
  std::uint32_t per_cell = 1;
  while (row_length % (per_cell * 2) == 0 &&
         static_cast<std::uint64_t>(row_length / per_cell) * static_cast<std::uint64_t>(pixel) >
             static_cast<std::uint64_t>(view.width()))
    per_cell *= 2;
  return {1, per_cell};
}

std::uint32_t automatic_row_length(const std::vector<std::uint32_t>& pools, QSize view,
                                   double scale) {
  for (int pitch = zoom_pitches.back(); pitch >= 1; --pitch) {
    const auto room = static_cast<std::uint32_t>(std::max(0, view.width() / scaled(pitch, scale)));
    if (room < shortest_row) continue;
    const std::uint32_t most = std::min(room, longest_row);
    for (const std::uint32_t row_length : {std::bit_floor(most), most - most % shortest_row})
      if (all_fit(pools, row_length, pitch, view, scale)) return row_length;
  }
  return packed_row_length(pools, view, scale);
}

}  // namespace vacancy::gui
