// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPoint>
#include <QRect>
#include <algorithm>

#include "gui/paint/hatch.hpp"

namespace vacancy::gui {

/// Rectangles straight into an image's pixels, clipped to it, with hatches that begin at one
/// origin.
class Canvas {
 public:
  /// `origin`: of the hatches, in the image's pixels. The image outlives it and is RGB32.
  Canvas(QImage& image, QPoint origin)
      : bits_(reinterpret_cast<QRgb*>(image.bits())),
        stride_(image.bytesPerLine() / 4),
        bounds_(image.rect()),
        origin_(origin) {}

  QRgb* row(int y) { return bits_ + y * stride_; }

  void fill(const QRect& where, QRgb colour) {
    const QRect r = where & bounds_;
    for (int y = r.top(); y <= r.bottom(); ++y)
      std::fill_n(row(y) + r.left(), std::max(0, r.width()), colour);
  }
  void fill(const QRect& where, const Hatch& hatch) {
    if (hatch.plain()) return fill(where, hatch.ground());
    const QRect r = where & bounds_;
    for (int y = r.top(); y <= r.bottom(); ++y)
      for (int x = r.left(); x <= r.right(); ++x)
        row(y)[x] = hatch.at(x - origin_.x(), y - origin_.y());
  }
  void frame(const QRect& r, QRgb colour) {
    fill({r.left(), r.top(), r.width(), 1}, colour);
    fill({r.left(), r.bottom(), r.width(), 1}, colour);
    fill({r.left(), r.top(), 1, r.height()}, colour);
    fill({r.right(), r.top(), 1, r.height()}, colour);
  }
  /// The upper left corner of `r`, `side` pixels along each edge.
  void cut_corner(const QRect& r, int side, QRgb colour) {
    for (int y = 0; y < side; ++y)
      fill({r.left(), r.top() + y, side - y, 1}, colour);
  }
  /// Leaves `share` of what is there over `ground`.
  void fade(const QRect& where, QRgb ground, double share) {
    const QRect r = where & bounds_;
    for (int y = r.top(); y <= r.bottom(); ++y)
      for (int x = r.left(); x <= r.right(); ++x)
        row(y)[x] = mix(ground, row(y)[x], share);
  }

 private:
  QRgb* bits_;
  qsizetype stride_;
  QRect bounds_;
  QPoint origin_;
};

}  // namespace vacancy::gui
