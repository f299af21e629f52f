// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPainter>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/paint/icons.hpp"
#include "gui/paint/palette.hpp"
#include "gui/paint/timeline_layout.hpp"

namespace vacancy::gui {

/// One column of pixels of a timeline.
struct TimelineColumn {
  /// Slots by class, live … free, in the order of BlockClass, as they are at its end.
  std::array<std::uint64_t, 7> slots{};
  std::uint64_t promised = 0, returned = 0;  // tokens evicted; slots of blocks freed by eviction
  std::uint8_t glyphs = 0;                   // a bit for each Glyph that happens in it
  bool simulated = false;                    // the run got there
};
constexpr std::uint8_t bit_of(Glyph glyph) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(glyph));
}

/// So many columns of a span of time.
using TimelineReader = std::function<std::vector<TimelineColumn>(TimeSpan span, int columns)>;

/// The stacked classes, live from below, as shares of all slots; hatches on holes and cached-free
/// blocks only. A column is a device pixel.
void paint_bands(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& columns,
                 const Palette& palette, double scale);

/// Tokens evicted (dashed) and what came back of them (solid), on one axis that ends at `most`.
void paint_promise(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& columns,
                   std::uint64_t most, const Palette& palette);

/// What is marked below the bands. In a column with several a line hides those that come after it
/// here; a triangle hides none.
struct TickKind {
  Glyph glyph;
  const char *name, *meaning;
};
inline constexpr std::array<TickKind, 4> tick_kinds = {
    {{Glyph::reclaim, "reclaim", "a round that brought blocks back"},
     {Glyph::evict, "evict", "a round that brought no block back"},
     {Glyph::finish, "finish", "a sequence is done"},
     {Glyph::preempt, "preempt", "a sequence loses its blocks, or memory runs out"}}};

void paint_event_ticks(QPainter& painter, const QRect& area,
                       const std::vector<TimelineColumn>& columns, const Palette& palette);
/// The kinds by name, two a row, each with its mark.
void paint_tick_key(QPainter& painter, QPoint at, const Palette& palette);
inline constexpr QSize tick_key_size{130, 26};

/// Lines at round times through `down_to`.
void paint_time_lines(QPainter& painter, const TimeAxis& axis, const QRect& strip, int down_to,
                      const Palette& palette);
/// Round times above the lines, but for those that the cursor's flag would cover.
void paint_time_labels(QPainter& painter, const TimeAxis& axis, const QRect& strip,
                       std::optional<std::int64_t> cursor, AxisUnit unit, const Palette& palette);

/// The whole run, small, with a frame around the span in view.
void paint_minimap(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& whole,
                   TimeSpan run, TimeSpan shown, const Palette& palette);

/// A line at x, and the time on a flag at its head.
void paint_cursor(QPainter& painter, double x, int top, int bottom, const QString& flag,
                  int least_x, int most_x, const Palette& palette);

/// B − A of free blocks: above the line in B's colour, below in A's.
void paint_difference(QPainter& painter, const QRect& area, const std::vector<double>& b_minus_a,
                      double most, const Palette& palette);

/// "5 s" with as many decimals as the step needs.
std::string time_label(std::int64_t t, std::int64_t step);
/// A place on an axis, for a flag at it: "16.796 s", "event 12".
std::string place_label(std::int64_t place, AxisUnit unit);

}  // namespace vacancy::gui
