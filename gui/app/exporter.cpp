// SPDX-License-Identifier: Apache-2.0
#include "gui/app/exporter.hpp"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <numeric>

#include "gui/model/legend.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/map_marks.hpp"
#include "gui/paint/map_painter.hpp"
#include "gui/widgets/legend.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {
namespace {

constexpr int margin = 16, sheet_head = 58, sheet_legend = 170;
constexpr double png_scale = 2;

void draw_head(QPainter& painter, RunSession& session, const ExportJob& job,
               const QString& caption) {
  const Palette& p = palette_of(job.theme);
  painter.setPen(QColor(p.ink));
  painter.setFont(ui_font(16, true));
  QString title = QObject::tr("%1 at %2").arg(session.title(), text_of(seconds(session.time_ns())));
  if (session.recording().state() == RunState::stopped_early ||
      session.recording().state() == RunState::cancelled)
    title += QObject::tr(" · a run to %1").arg(text_of(seconds(session.recording().end_ns())));
  painter.drawText(QRect(margin, 10, job.size.width() - 2 * margin, 24), Qt::AlignLeft, title);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12));
  painter.drawText(QRect(margin, 34, job.size.width() - 2 * margin, 18), Qt::AlignLeft, caption);
}

void draw_sheet_legend(QPainter& painter, const RunSession& session, const ExportJob& job,
                       QPoint at) {
  const Palette& p = palette_of(job.theme);
  const SlotClasses slots = session.slots_now();
  const auto rows = legend(slots);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(at, QSize(sheet_legend, 18)), Qt::AlignLeft,
                   QObject::tr("%1 slots = 100\u00A0%").arg(grouped(slots.total())));
  int y = at.y() + 26;
  for (const LegendRow& row : rows) {
    draw_swatch(painter, QRect(at.x(), y, 15, 15), static_cast<BlockClass>(row.slot_class), p);
    painter.setFont(ui_font(12.5));
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(at.x() + 24, y - 2, sheet_legend, 18), Qt::AlignLeft,
                     text_of(class_name(row.slot_class)));
    painter.setFont(ui_font(11.5));
    painter.setPen(QColor(p.ink_2));
    const QRect second(at.x() + 24, y + 15, sheet_legend - 40, 18);
    painter.drawText(second, Qt::AlignLeft, text_of(row.count));
    painter.drawText(second, Qt::AlignRight, text_of(row.share));
    y += 38;
  }
}

QString write_whole(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return QObject::tr("%1 cannot be written: %2.").arg(path, file.errorString());
  return {};
}

}  // namespace

SheetMap map_on_sheet(const RunSession& session, const ExportJob& job, double scale) {
  const QSize cells(job.size.width() - margin - map_gutter - sheet_legend - legend_gap,
                    job.size.height() - sheet_head - margin);
  const QSize view(static_cast<int>(cells.width() * scale),
                   static_cast<int>(cells.height() * scale));
  const auto pools = session.pools();
  const std::uint32_t row_length = automatic_row_length(pools, view, scale);
  return {MapLayout(pools, row_length, fitting_zoom(pools, row_length, view, scale), view, scale),
          QPoint(margin + map_gutter, sheet_head)};
}

void draw_map_sheet(QPainter& painter, RunSession& session, const ExportJob& job, double scale) {
  const Palette& p = palette_of(job.theme);
  painter.fillRect(QRect(QPoint(0, 0), job.size), QColor(p.panel));
  if (!session.has_map()) {
    draw_head(painter, session, job, text_of(session.recording().missing()));
    return;
  }
  MapScene scene = session.scene();
  scene.palette = &p;
  scene.colouring = job.colouring;
  const auto [layout, at] = map_on_sheet(session, job, scale);
  QStringList caption;
  for (const std::string& part : map_caption(layout, scene.pool.block_size))
    caption.append(text_of(part));
  caption.append(text_of(map_text(session.replica().figures())));
  draw_head(painter, session, job, caption.join(QStringLiteral(" · ")));
  QImage image = map_image(scene, layout);
  image.setDevicePixelRatio(scale);
  painter.drawImage(at, image);
  painter.save();
  painter.translate(margin, sheet_head);
  painter.scale(1 / scale, 1 / scale);
  paint_addresses(painter, layout, static_cast<int>(map_gutter * scale), p);
  painter.restore();
  draw_sheet_legend(painter, session, job, QPoint(job.size.width() - sheet_legend, sheet_head));
}

void draw_timeline_sheet(QPainter& painter, RunSession& session, const ExportJob& job,
                         double scale) {
  const Palette& p = palette_of(job.theme);
  painter.fillRect(QRect(QPoint(0, 0), job.size), QColor(p.panel));
  const AxisUnit unit = session.axis_unit();
  const TimeSpan run = session.span(unit), span = job.span.value_or(run);
  QString caption = QObject::tr(
      "slots by class, share of the pool · promised: tokens evicted (dashed) · returned: "
      "blocks freed × block size (solid)");
  if (unit == AxisUnit::events)
    caption += QObject::tr(" · x: events, since all of the run is one instant of virtual time");
  draw_head(painter, session, job, caption);
  const QSize size(job.size.width() - margin, job.size.height() - sheet_head - margin);
  TimelineStrips s = timeline_strips(size, margin + map_gutter, sheet_legend + legend_gap);
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
  draw_sheet_legend(painter, session, job,
                    QPoint(job.size.width() - sheet_legend, sheet_head + s.bands.top()));
}

QByteArray series_csv(const Recording& recording, TimeSpan span, AxisUnit unit) {
  constexpr const char* names[series_count] = {"live",
                                               "shared",
                                               "pinned",
                                               "hole",
                                               "tail",
                                               "cached_free",
                                               "free",
                                               "held_blocks",
                                               "running",
                                               "waiting",
                                               "evicted_set_tokens",
                                               "blocks_freed_by_eviction",
                                               "known_tokens",
                                               "hit_tokens",
                                               "preemptions",
                                               "produced_tokens",
                                               "moved_bytes"};
  QByteArray csv("time_ns,event");
  for (const char* name : names)
    csv.append(',').append(name);
  csv.append('\n');
  const Series& series = recording.series();
  for (std::uint64_t i = 0; i < series.size(); ++i) {
    const std::int64_t place =
        unit == AxisUnit::events ? static_cast<std::int64_t>(series.event(i)) : series.time_ns(i);
    if (place < span.from || place > span.to) continue;
    csv.append(QByteArray::number(static_cast<qlonglong>(series.time_ns(i))));
    csv.append(',').append(QByteArray::number(static_cast<qulonglong>(series.event(i))));
    for (std::size_t s = 0; s < series_count; ++s)
      csv.append(',').append(
          QByteArray::number(static_cast<qlonglong>(series.value(static_cast<SeriesId>(s), i))));
    csv.append('\n');
  }
  return csv;
}

QString export_run(RunSession& session, const ExportJob& job) {
  if (job.view == ExportView::series)
    return write_whole(job.path, series_csv(session.recording(),
                                            job.span.value_or(session.span(session.axis_unit())),
                                            session.axis_unit()));
  const auto draw = [&](QPainter& painter, double scale) {
    if (job.view == ExportView::timeline)
      draw_timeline_sheet(painter, session, job, scale);
    else
      draw_map_sheet(painter, session, job, scale);
  };
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (job.path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(job.size);
    svg.setViewBox(QRect(QPoint(0, 0), job.size));
    svg.setTitle(session.title());
    QPainter painter(&svg);
    draw(painter, png_scale);
  } else if (job.path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive)) {
    QPdfWriter pdf(&buffer);
    pdf.setTitle(session.title());
    pdf.setResolution(96);
    pdf.setPageSize(QPageSize(QSizeF(job.size) * 72 / 96, QPageSize::Point));
    pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&pdf);
    draw(painter, png_scale);
  } else if (job.path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)) {
    QImage image(job.size * png_scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(png_scale);
    QPainter painter(&image);
    draw(painter, png_scale);
    painter.end();
    image.save(&buffer, "PNG");
  } else {
    return QObject::tr("%1: the name must end in .png, .svg or .pdf, for series in .csv.")
        .arg(job.path);
  }
  return write_whole(job.path, bytes);
}

}  // namespace vacancy::gui
