// SPDX-License-Identifier: Apache-2.0
// What painting a map costs, and how it grows with the blocks. Offscreen; pass -platform offscreen
// or set QT_QPA_PLATFORM where there is no screen.
#include <QGuiApplication>
#include <cstdio>

#include "gui/paint/map_painter.hpp"
#include "tests/bench/stopwatch.hpp"
#include "tests/gui/paint/made_pool.hpp"

namespace {

using namespace vacancy::gui;

void measure(std::uint32_t blocks, int pitch, std::uint32_t per_cell) {
  test::MadePool pool(blocks);
  pool.scatter(1);
  const MapScene scene = pool.scene(Theme::light);
  const QSize view(1600, 900);
  const std::uint32_t row_length = pitch > 1 ? 64U : automatic_row_length({blocks}, view, 1);
  const MapLayout layout({blocks}, row_length, {pitch, per_cell}, view, 1);
  MapPainter painter;
  const double whole = vacancy::bench::median_seconds(9, [&] {
    painter.reset();
    painter.paint(scene, layout);
  });
  const std::uint64_t cells = painter.painted();
  const double same = vacancy::bench::median_seconds(9, [&] { painter.paint(scene, layout); });
  std::printf(
      "%10u blocks, %3d px, %2u a cell: %8llu cells in %7.3f ms, the next picture %7.3f ms\n",
      blocks, pitch, per_cell, static_cast<unsigned long long>(cells), whole * 1e3, same * 1e3);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  for (const std::uint32_t blocks : {10'000U, 100'000U, 1'000'000U, 4'000'000U})
    measure(blocks, 1, blocks > 1'500'000 ? 4 : 1);
  for (const int pitch : {2, 4, 6, 9, 13, 18, 28, 42, 64, 96, 136})
    measure(100'000, pitch, 1);
}
