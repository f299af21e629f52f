// SPDX-License-Identifier: Apache-2.0
#include "gui/app/timeline_sheet.hpp"

#include <algorithm>

#include "gui/app/sheet_parts.hpp"
#include "gui/paint/timeline_painter.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {

void draw_timeline_sheet(QPainter& painter, const RunSession& session, const ExportJob& job,
                         double scale) {
  const Palette& p = palette_of(job.theme);
  painter.fillRect(QRect(QPoint(0, 0), job.size), QColor(p.panel));
  const AxisUnit unit = session.axis_unit();
  const TimeSpan run = session.span(unit), span = job.span.value_or(run);
  QString bands = QObject::tr("slots by class, share of the pool");
  if (unit == AxisUnit::events)
    bands += QObject::tr(" · x: events, since all of the run is one instant of virtual time");
  draw_head(painter, session, job,
            {bands, QObject::tr("promised: tokens evicted (dashed) · returned: blocks freed × "
                                "block size (solid)")});
  const QSize size(job.size.width() - sheet_margin, job.size.height() - sheet_head - sheet_margin);
  TimelineStrips s = timeline_strips(size, sheet_margin + map_gutter, sheet_legend + legend_gap);
  painter.save();
  painter.translate(0, sheet_head);
  const TimeAxis axis(span, s.bands.left(), s.bands.width());
  const auto columns =
      session.columns(span, static_cast<int>(static_cast<double>(s.bands.width()) * scale), unit);
  const auto whole = session.columns(run, s.minimap.width(), unit);
  std::uint64_t most = 0;
  for (const TimelineColumn& c : whole)
    most = std::max({most, c.promised, c.returned});
  paint_time_lines(painter, axis, s.axis, s.events.bottom() + 1, p);
  const std::int64_t cursor = session.place(unit);
  const bool in_view = cursor >= span.from && cursor <= span.to;
  paint_time_labels(painter, axis, s.axis, in_view ? std::optional(cursor) : std::nullopt, unit, p);
  paint_bands(painter, s.bands, columns, p, scale);
  paint_promise(painter, s.promise, columns, most, p);
  paint_event_ticks(painter, s.events, columns, p);
  paint_minimap(painter, s.minimap, whole, run, span, p);
  if (in_view)
    paint_cursor(painter, axis.x_of(cursor), s.axis.top(), s.events.bottom(),
                 text_of(place_label(cursor, unit)), 0, s.bands.right(), p);
  painter.restore();
  const int left = job.size.width() - sheet_legend, top = sheet_head + s.bands.top();
  const int marks = sheet_head + s.events.center().y() - tick_key_size.height() / 2;
  paint_tick_key(painter, QPoint(left, marks), p);
  draw_class_key(painter, session, job, QPoint(left, top), marks - top - sheet_margin);
}

}  // namespace vacancy::gui
