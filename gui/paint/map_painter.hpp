// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <cstdint>
#include <vector>

#include "gui/paint/cell_look.hpp"
#include "gui/paint/map_layout.hpp"
#include "gui/paint/map_scene.hpp"

namespace vacancy::gui {

/// The cells of a map in an image of device pixels. It keeps the image: the next picture of the
/// same place paints only cells that look otherwise.
class MapPainter {
 public:
  /// Valid until the next call.
  const QImage& paint(const MapScene& scene, const MapLayout& layout);

  /// Cells that the last call painted.
  std::uint64_t painted() const { return painted_; }
  /// Forget the image.
  void reset() { image_ = QImage(); }

 private:
  struct Place;  // of the look of a cell

  bool same_place(const MapScene& scene, const MapLayout& layout) const;
  void paint_pixels(const MapScene& scene, const MapInks& inks);
  void paint_cells(const MapScene& scene, const MapInks& inks, bool all);
  void paint_texts(const MapScene& scene, const std::vector<std::uint32_t>& blocks);

  QImage image_;
  MapLayout layout_;
  std::vector<CellLook> looks_;  // of the cells in view, row by row
  std::uint64_t painted_ = 0;
  // What else all cells depend on.
  const Palette* palette_ = nullptr;
  Colouring colouring_ = Colouring::state;
  std::optional<BlockClass> isolated_;
  std::uint32_t block_size_ = 0;
  double strength_ = 1;
};

/// A picture for once.
QImage map_image(const MapScene& scene, const MapLayout& layout);

}  // namespace vacancy::gui
