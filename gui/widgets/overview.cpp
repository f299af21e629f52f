// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/overview.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/paint/fonts.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {
namespace {

constexpr int title_height = 20;

}  // namespace

Overview::Overview(MapView& map, QWidget* parent) : QWidget(parent), map_(map) {
  setFixedSize(legend_width, 124);
  setAccessibleName(tr("Overview of the pool"));
  setToolTip(tr("The whole pool with the part that the map shows, and pixels a cell"));
  hide();
}

void Overview::follow(int room) {
  const MapLayout& shown = map_.layout();
  const bool part = shown.blocks() > 0 && (shown.content().width() > shown.view().width() ||
                                           shown.content().height() > shown.view().height());
  setVisible(part && height() <= room);
  if (part) update();
}

QRect Overview::picture() const {
  return {0, title_height, width() - 8, height() - title_height};
}

double Overview::cell_width() const {
  return static_cast<double>(layout_.content().width()) / layout_.scale() /
         map_.layout().cells_per_row();
}

double Overview::cell_height() const {
  return static_cast<double>(layout_.content().height()) / layout_.scale() /
         std::max(1U, map_.layout().rows());
}

void Overview::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Palette& colours = palette_of(application_theme());
  const MapLayout& shown = map_.layout();
  if (map_.scene().pool.flags.size() < shown.blocks() || shown.blocks() == 0) return;
  const double scale = devicePixelRatioF();
  const QSize view = (QSizeF(picture().size()) * scale).toSize();
  layout_ = MapLayout(map_.pools(), shown.row_length(),
                      fitting_zoom(map_.pools(), shown.row_length(), view, scale), view, scale);
  MapScene scene = map_.scene();
  scene.palette = &colours;
  scene.sequence = no_sequence;
  QImage image = painter_.paint(scene, layout_);
  image.setDevicePixelRatio(scale);
  p.drawImage(picture().topLeft(), image);
  p.setFont(ui_font(12, true));
  p.setPen(QColor(colours.ink_2));
  p.drawText(QRect(0, 0, width(), title_height), Qt::AlignLeft | Qt::AlignTop, tr("Overview"));
  p.setFont(ui_font(10.5));
  p.setPen(QColor(colours.ink_3));
  const MapZoom zoom = layout_.zoom();
  p.drawText(QRect(0, 1, width() - 8, title_height), Qt::AlignRight | Qt::AlignTop,
             zoom.blocks_per_cell > 1 ? tr("1/%1 px").arg(grouped(zoom.blocks_per_cell))
                                      : tr("%1 px").arg(zoom.pitch));
  const double w = cell_width() / shown.pitch(), h = cell_height() / shown.pitch();
  const QRectF frame(picture().left() + shown.origin().x() * w,
                     picture().top() + shown.origin().y() * h, shown.view().width() * w,
                     shown.view().height() * h);
  const QRectF inside = frame & QRectF(picture());
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(QColor(colours.halo), 3.5));
  p.drawRect(inside.adjusted(1, 1, -1, -1));
  p.setPen(QPen(QColor(colours.ink), 1.6));
  p.drawRect(inside.adjusted(1, 1, -1, -1));
}

void Overview::mousePressEvent(QMouseEvent* event) {
  const MapLayout& shown = map_.layout();
  const QPointF at = event->position() - picture().topLeft();
  const double w = cell_width() / shown.pitch(), h = cell_height() / shown.pitch();
  if (w <= 0 || h <= 0) return;
  map_.set_zoom(shown.zoom(), QPoint(static_cast<int>(std::lround(at.x() / w)),
                                     static_cast<int>(std::lround(at.y() / h))) -
                                  QPoint(shown.view().width() / 2, shown.view().height() / 2));
  Q_EMIT map_.place_changed();
}

void Overview::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) mousePressEvent(event);
}

}  // namespace vacancy::gui

#include "moc_overview.cpp"
