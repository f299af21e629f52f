// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/difference_strip.hpp"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/paint/canvas.hpp"

namespace vacancy::gui {

void paint_difference_strip(QPainter& painter, const QRect& area, const PoolDifference& pools,
                            const Palette& palette, double scale) {
  const std::size_t blocks = pools.blocks.size();
  if (blocks == 0 || area.isEmpty()) return;
  QImage image(static_cast<int>(std::lround(area.width() * scale)),
               static_cast<int>(std::lround(area.height() * scale)), QImage::Format_RGB32);
  const auto width = static_cast<std::size_t>(image.width());
  const Hatch same(BlockClass::free, palette.of(BlockClass::free), palette.of(BlockClass::free), 1);
  const Hatch a(BlockClass::live, palette.run_a, palette.run_a, 1);
  const Hatch b(BlockClass::live, palette.run_b, palette.run_b, 1);
  const Hatch other(BlockClass::hole, palette.panel, palette.ink_3, scale);
  const Hatch* const textures[] = {&same, &a, &b, &other};
  Canvas canvas(image, QPoint(0, 0));
  for (std::size_t x = 0; x < width; ++x) {
    const std::size_t first = x * blocks / width;
    const std::size_t last = std::max(first + 1, (x + 1) * blocks / width);
    std::array<std::uint64_t, 4> count{};
    for (std::size_t i = first; i < last; ++i)
      ++count[static_cast<std::size_t>(pools.blocks[i])];
    const auto most = std::max_element(count.begin(), count.end()) - count.begin();
    canvas.fill({static_cast<int>(x), 0, 1, image.height()}, *textures[most]);
  }
  image.setDevicePixelRatio(scale);
  painter.drawImage(area.topLeft(), image);
}

}  // namespace vacancy::gui
