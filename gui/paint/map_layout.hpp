// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vacancy::gui {

/// How much of a block is drawn.
enum class MapLevel : std::uint8_t {
  image,   // L0: a pixel, of several blocks the most notable
  fill,    // L1: colour and height
  marks,   // L2: corner and bars too
  hatch,   // L3
  slots,   // L4: slots in their true order
  numbers  // L5: token positions
};

/// Pixels a cell, at 1×.
struct MapZoom {
  int pitch = 13;
  std::uint32_t blocks_per_cell = 1;  // a power of two; above 1 only where the pitch is 1

  bool operator==(const MapZoom&) const = default;
};
/// The steps of zooming; any whole pitch between the first and the last can be asked for.
inline constexpr std::array<int, 12> zoom_pitches = {1, 2, 4, 6, 9, 13, 18, 28, 42, 64, 96, 136};

MapZoom zoomed_in(MapZoom zoom);
/// Out to where the whole row is one cell.
MapZoom zoomed_out(MapZoom zoom, std::uint32_t row_length);
MapLevel level_of(MapZoom zoom);

/// Where blocks are. Row-major, so that position is address. What
/// lies behind the device's own pool (other pools, the host) has lanes below, each from a new row
/// on after a blank one. In device pixels: `scale` of them are a pixel of the window.
class MapLayout {
 public:
  MapLayout() = default;
  /// `pools`: blocks of each, in order of block ids.
  MapLayout(std::vector<std::uint32_t> pools, std::uint32_t row_length, MapZoom zoom, QSize view,
            double scale);

  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t row_length() const { return row_length_; }
  MapZoom zoom() const { return zoom_; }
  MapLevel level() const { return level_of(zoom_); }
  double scale() const { return scale_; }
  QSize view() const { return view_; }
  int pitch() const { return pitch_; }
  /// The empty pixels between two cells.
  int gap() const { return gap_; }
  std::uint32_t cells_per_row() const { return row_length_ / zoom_.blocks_per_cell; }
  std::uint32_t rows() const { return rows_; }
  QSize content() const;

  /// What of the content stands at the view's upper left corner; set_origin keeps the view inside.
  QPoint origin() const { return origin_; }
  void set_origin(QPoint origin);
  /// Moves to a block that is not wholly in view, so that it is in the middle; false: it was.
  bool reveal(std::uint32_t block);

  /// The same rows in cells of another size, from their upper left corner on.
  MapLayout zoomed(MapZoom zoom) const;
  /// Without what would stand empty right of the cells or below them.
  void shrink_view() { view_ = view_.boundedTo(content()); }
  /// The same part of the pool in device pixels of another size.
  MapLayout rescaled(double scale) const;

  /// A row's first block and how many it has; nothing between lanes.
  struct Row {
    std::uint32_t first = 0, count = 0;
  };
  Row row(std::uint32_t row) const;
  /// Rows and columns of cells that are in view, at least in part: [first, last).
  struct Range {
    std::uint32_t first = 0, last = 0;
  };
  Range visible_rows() const;
  Range visible_columns() const;

  /// Of its cell, the gap behind it included.
  QRect cell(std::uint32_t block) const;
  /// The (first) block whose cell is there.
  std::optional<std::uint32_t> block_at(QPoint pixel) const;
  /// The block one cell from another, at most at the ends of its row or column.
  std::uint32_t neighbour(std::uint32_t block, int columns, int rows) const;

  bool operator==(const MapLayout&) const = default;

 private:
  struct Lane {
    std::uint32_t first_block, blocks, first_row, rows;
    bool operator==(const Lane&) const = default;
  };
  void set_cells(MapZoom zoom, double scale);
  const Lane* lane_of_row(std::uint32_t row) const;
  const Lane& lane_of(std::uint32_t block) const;

  std::vector<Lane> lanes_;
  std::uint32_t blocks_ = 0, row_length_ = 64, rows_ = 0;
  MapZoom zoom_;
  QSize view_;
  double scale_ = 1;
  int pitch_ = 13, gap_ = 1;
  QPoint origin_;
};

/// The largest zoom, of whole pixels, that shows all blocks, or as many of each row as can be.
MapZoom fitting_zoom(const std::vector<std::uint32_t>& pools, std::uint32_t row_length, QSize view,
                     double scale);
/// The row in which the whole pool is seen in the largest cells: of those a power of two, else a
/// multiple of eight. A pool with more blocks than pixels has a power of two, 64 or more.
std::uint32_t automatic_row_length(const std::vector<std::uint32_t>& pools, QSize view,
                                   double scale);

}  // namespace vacancy::gui
