// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/hatch.hpp"

#include <QTransform>
#include <algorithm>
#include <cmath>

namespace vacancy::gui {
namespace {

enum class Pattern { none, diagonal, dots, lines, cross, rules };

Pattern pattern_of(BlockClass c) {
  switch (c) {
    case BlockClass::hole:
      return Pattern::diagonal;
    case BlockClass::tail:
      return Pattern::dots;
    case BlockClass::cached_free:
      return Pattern::lines;
    case BlockClass::host:
      return Pattern::cross;
    case BlockClass::disk:
      return Pattern::rules;
    default:
      return Pattern::none;
  }
}

int step_of(Pattern pattern, bool in_slot) {
  switch (pattern) {
    case Pattern::diagonal:
      return in_slot ? 6 : 4;
    case Pattern::dots:
      return 3;
    case Pattern::lines:
    case Pattern::cross:
      return 4;
    case Pattern::rules:
      return 8;
    case Pattern::none:
      break;
  }
  return 1;
}

bool inked(Pattern pattern, int x, int y, int n, int width) {
  switch (pattern) {
    case Pattern::diagonal:
      return (x + y) % n < width;
    case Pattern::dots:
      return x % n < width && y % n < width;
    case Pattern::lines:
      return y % n < width;
    case Pattern::cross:
      return (x + y) % n < width || (x - y + n) % n < width;
    case Pattern::rules:
      return y % n >= n / 4 && y % n < n / 4 + width;
    case Pattern::none:
      break;
  }
  return false;
}

QImage tile_of(Pattern pattern, QRgb ground, QRgb ink, double scale, bool in_slot) {
  const int n = std::max(1, static_cast<int>(std::lround(step_of(pattern, in_slot) * scale)));
  const int width = std::max(1, static_cast<int>(scale));
  QImage tile(n, n, QImage::Format_RGB32);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      tile.setPixel(x, y, inked(pattern, x, y, n, width) ? ink : ground);
  return tile;
}

QBrush brush_of(const QImage& tile, double scale) {
  QBrush brush(tile);
  brush.setTransform(QTransform::fromScale(1 / scale, 1 / scale));
  return brush;
}

}  // namespace

Hatch::Hatch(const Palette& palette, BlockClass c, double scale, bool in_slot)
    : Hatch(c, palette.of(c), palette.hatch(c), scale, in_slot) {}

Hatch::Hatch(BlockClass c, QRgb ground, QRgb ink, double scale, bool in_slot)
    : ground_(ground), scale_(scale), tile_(tile_of(pattern_of(c), ground, ink, scale, in_slot)) {
  if (pattern_of(c) == Pattern::none) tile_ = tile_.copy(0, 0, 1, 1);
}

QBrush Hatch::brush() const {
  return plain() ? QBrush(QColor(ground_)) : brush_of(tile_, scale_);
}

QBrush unknown_brush(const Palette& palette, double scale) {
  return brush_of(tile_of(Pattern::diagonal, palette.header, palette.rule, scale, true), scale);
}

}  // namespace vacancy::gui
