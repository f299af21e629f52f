// SPDX-License-Identifier: Apache-2.0
#include "gui/app/sheet_parts.hpp"

#include <QFontMetrics>
#include <algorithm>

#include "gui/model/legend.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/map_key.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {

void draw_head(QPainter& painter, const RunSession& session, const ExportJob& job,
               const QStringList& captions) {
  const Palette& p = palette_of(job.theme);
  const int wide = job.size.width() - 2 * sheet_margin;
  const auto line = [&](int top, int high, const QString& text) {
    painter.drawText(QRect(sheet_margin, top, wide, high), Qt::AlignLeft,
                     QFontMetrics(painter.font()).elidedText(text, Qt::ElideRight, wide));
  };
  painter.setPen(QColor(p.ink));
  painter.setFont(ui_font(16, true));
  QString title = QObject::tr("%1 at %2").arg(session.title(), text_of(seconds(session.time_ns())));
  if (session.recording().state() == RunState::stopped_early ||
      session.recording().state() == RunState::cancelled)
    title += QObject::tr(" · a run to %1").arg(text_of(seconds(session.recording().end_ns())));
  line(10, 24, title);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12));
  int top = 34;
  for (const QString& caption : captions) {
    line(top, 18, caption);
    top += 18;
  }
}

int draw_class_key(QPainter& painter, const RunSession& session, const ExportJob& job, QPoint at,
                   int high) {
  constexpr int title = 24, tallest = 38, lowest = 18;
  const Palette& p = palette_of(job.theme);
  const SlotClasses slots = session.slots_now();
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(at, QSize(sheet_legend, 18)), Qt::AlignLeft,
                   QObject::tr("%1 slots = 100\u00A0%").arg(grouped(slots.total())));
  const int row_high =
      std::clamp((high - title) / static_cast<int>(slot_class_count), lowest, tallest);
  QRect row(at.x(), at.y() + title, sheet_legend - sheet_margin, row_high);
  for (const LegendRow& of_class : legend(slots)) {
    paint_class_row(painter, row, of_class, p, job.map.colouring);
    row.translate(0, row_high);
  }
  return row.top();
}

}  // namespace vacancy::gui
