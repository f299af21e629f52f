// SPDX-License-Identifier: Apache-2.0
#include "gui/app/exporter.hpp"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "gui/app/map_sheet.hpp"
#include "gui/app/timeline_sheet.hpp"
#include "gui/model/whole_file.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

constexpr double png_scale = 2;

QByteArray png(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

}  // namespace

QByteArray series_csv(const Recording& recording, TimeSpan span, AxisUnit unit,
                      std::uint64_t last_event) {
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
    if (place < span.from || place > span.to || series.event(i) > last_event) continue;
    csv.append(QByteArray::number(static_cast<qlonglong>(series.time_ns(i))));
    csv.append(',').append(QByteArray::number(static_cast<qulonglong>(series.event(i))));
    for (std::size_t s = 0; s < series_count; ++s)
      csv.append(',').append(
          QByteArray::number(static_cast<qlonglong>(series.value(static_cast<SeriesId>(s), i))));
    csv.append('\n');
  }
  return csv;
}

void export_run(RunSession& session, const ExportJob& job) {
  if (job.view == ExportView::series)
    return write_whole(
        job.path,
        series_csv(session.recording(), job.span.value_or(session.span(session.axis_unit())),
                   session.axis_unit(), job.last_event.value_or(UINT64_MAX)));
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
    bytes = png(image);
  } else {
    throw UserError(QObject::tr("%1: the name must end in .png, .svg or .pdf, for series in .csv.")
                        .arg(job.path)
                        .toStdString());
  }
  write_whole(job.path, bytes);
}

void export_window(QWidget& window, const QString& path) {
  write_whole(path, png(window.grab().toImage()));
}

}  // namespace vacancy::gui
