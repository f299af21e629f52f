// SPDX-License-Identifier: Apache-2.0
#include "gui/app/map_sheet.hpp"

#include <QStringList>
#include <vector>

#include "gui/app/sheet_parts.hpp"
#include "gui/model/announcer.hpp"
#include "gui/model/legend.hpp"
#include "gui/paint/map_key.hpp"
#include "gui/paint/map_marks.hpp"
#include "gui/paint/map_painter.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {
namespace {

// Besides the cells of a map.
constexpr QSize around_cells(sheet_margin + map_gutter + legend_gap + sheet_legend,
                             sheet_head + sheet_margin);

std::vector<FrameKey> frames_of(const MapShown& map, const Palette& p) {
  std::vector<FrameKey> frames;
  if (map.sequence) frames.push_back({p.ink, 1, text_of(sequence_name(*map.sequence))});
  if (map.blocks.size() == 1)
    frames.push_back({p.ink, 2, QObject::tr("block %1").arg(grouped(map.blocks.front()))});
  else if (!map.blocks.empty())
    frames.push_back({p.ink, 2, QObject::tr("%1 chosen blocks").arg(grouped(map.blocks.size()))});
  return frames;
}

void draw_map_key(QPainter& painter, const RunSession& session, const ExportJob& job) {
  const Palette& p = palette_of(job.theme);
  const std::vector<FrameKey> frames = frames_of(job.map, p);
  const bool ramp = job.map.colouring != Colouring::state;
  const QPoint at(job.size.width() - sheet_legend, sheet_head);
  const int below =
      (ramp ? ramp_height + 8 : 0) + static_cast<int>(frames.size()) * frame_row_height;
  QRect rest(at, QSize(sheet_legend - sheet_margin, 0));
  rest.moveTop(draw_class_key(painter, session, job, at,
                              job.size.height() - sheet_head - sheet_margin - below));
  if (ramp) {
    paint_ramp(painter, rest.translated(0, 4), job.map.colouring, p);
    rest.translate(0, ramp_height + 8);
  }
  for (const FrameKey& frame : frames) {
    paint_frame_row(painter, rest, frame, p);
    rest.translate(0, frame_row_height);
  }
}

/// The cells with their frames, which stand out by a margin at each side.
QImage framed_map(RunSession& session, const ExportJob& job, const MapLayout& layout) {
  const Palette& p = palette_of(job.theme);
  MapScene scene = session.scene();
  scene.palette = &p;
  scene.colouring = job.map.colouring;
  scene.isolated = job.map.isolated;
  scene.sequence = job.map.sequence.value_or(no_sequence);
  MapMarks marks;
  const std::vector<std::uint32_t> of_sequence =
      job.map.sequence ? session.replica().blocks_of(*job.map.sequence)
                       : std::vector<std::uint32_t>{};
  marks.sequence = of_sequence;
  marks.selected = job.map.blocks;
  marks.block_size = std::max(1U, scene.pool.block_size);
  const int margin = static_cast<int>(map_margin * layout.scale());
  QImage image(layout.view() + QSize(2 * margin, 2 * margin), QImage::Format_RGB32);
  image.fill(QColor(p.panel));
  QPainter painter(&image);
  painter.drawImage(margin, margin, map_image(scene, layout));
  painter.translate(margin, margin);
  paint_marks(painter, layout, marks, p);
  painter.end();
  image.setDevicePixelRatio(layout.scale());
  return image;
}

}  // namespace

SheetMap map_on_sheet(const RunSession& session, const ExportJob& job, double scale) {
  const QPoint at(sheet_margin + map_gutter, sheet_head);
  if (job.map.place) return {job.map.place->rescaled(scale), at};
  const QSize view = (QSizeF(job.size - around_cells) * scale).toSize();
  const auto pools = session.pools();
  const std::uint32_t row_length = automatic_row_length(pools, view, scale);
  return {MapLayout(pools, row_length, fitting_zoom(pools, row_length, view, scale), view, scale),
          at};
}

QSize sheet_around(const MapLayout& shown) {
  const QSize cells = (QSizeF(shown.view()) / shown.scale()).toSize();
  return (cells + around_cells).expandedTo({640, 480});
}

void draw_map_sheet(QPainter& painter, RunSession& session, const ExportJob& job, double scale) {
  const Palette& p = palette_of(job.theme);
  painter.fillRect(QRect(QPoint(0, 0), job.size), QColor(p.panel));
  if (!session.has_map())
    return draw_head(painter, session, job, {text_of(session.recording().missing())});
  const auto [layout, at] = map_on_sheet(session, job, scale);
  QStringList drawn;
  if (const std::string scores = session.score_finder().sentence(); !scores.empty())
    drawn.append(text_of(scores));
  for (const std::string& part :
       map_caption(layout, session.replica().blocks(), session.recording().shape().block_size,
                   job.map.isolated))
    drawn.append(text_of(part));
  draw_head(painter, session, job,
            {drawn.join(QStringLiteral(" · ")), text_of(map_text(session.replica().figures()))});
  painter.drawImage(at - QPoint(map_margin, map_margin), framed_map(session, job, layout));
  painter.save();
  painter.translate(sheet_margin, sheet_head);
  painter.scale(1 / scale, 1 / scale);
  paint_addresses(painter, layout, static_cast<int>(map_gutter * scale), p);
  painter.restore();
  draw_map_key(painter, session, job);
}

}  // namespace vacancy::gui
