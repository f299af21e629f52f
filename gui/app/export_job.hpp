// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/paint/map_layout.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/paint/timeline_layout.hpp"

namespace vacancy::gui {

enum class ExportView : std::uint8_t { map, timeline, window, series };

/// What a window's controls make of a map.
struct MapShown {
  Colouring colouring = Colouring::state;
  std::optional<BlockClass> isolated;
  std::vector<std::uint32_t> blocks;      // that are chosen
  std::optional<std::uint32_t> sequence;  // that is chosen
  std::optional<MapLayout> place;         // the whole pool, if nothing
};

/// A picture or table of a run's present moment. A function of the run and the job: no window is
/// asked.
struct ExportJob {
  ExportView view = ExportView::map;
  QString path;            // .png (two pixels a pixel), .svg, .pdf; .csv for series
  QSize size{1600, 1000};  // logical pixels
  Theme theme = Theme::light;
  MapShown map;
  std::optional<TimeSpan> span;             // of timeline and series; the whole run
  std::optional<std::uint64_t> last_event;  // of series; the end
};

/// The least at which nothing of a sheet lies over anything else.
inline constexpr QSize smallest_sheet{480, 320};

}  // namespace vacancy::gui
