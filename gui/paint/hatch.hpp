// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBrush>
#include <QImage>

#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// The texture of a class, so that colour is never alone. One tile repeats without a seam; give
/// every use in a view the same origin, and neighbours join.
class Hatch {
 public:
  Hatch() = default;
  /// `scale`: device pixels a pixel. `in_slot`: the wider step where a single slot is drawn.
  Hatch(const Palette& palette, BlockClass c, double scale, bool in_slot = false);
  /// Another ground and ink in the class's pattern.
  Hatch(BlockClass c, QRgb ground, QRgb ink, double scale, bool in_slot = false);

  /// Of device pixel (x, y) from the common origin.
  QRgb at(int x, int y) const {
    const int n = tile_.width();
    if (n == 1) return ground_;
    return reinterpret_cast<const QRgb*>(tile_.constScanLine(wrap(y, n)))[wrap(x, n)];
  }
  bool plain() const { return tile_.width() == 1; }
  QRgb ground() const { return ground_; }
  /// For a painter in logical coordinates of a device with the hatch's scale.
  QBrush brush() const;

 private:
  static int wrap(int v, int n) {
    const int r = v % n;
    return r < 0 ? r + n : r;
  }

  QRgb ground_ = 0;
  double scale_ = 1;
  QImage tile_;
};

/// The grey diagonal of what was not simulated or is hidden.
QBrush unknown_brush(const Palette& palette, double scale);

}  // namespace vacancy::gui
