// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/map_view.hpp"

#include <QCursor>
#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"

namespace vacancy::gui {
MapView::MapView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(200, 120);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Block map"));
}

void MapView::set_pools(std::vector<std::uint32_t> pools) {
  if (pools == pools_) return;
  pools_ = std::move(pools);
  fitted_ = true;
  hovered_.reset();
  hovered_slot_.reset();
  focus_.reset();
  painter_.reset();
  lay_out();
}

void MapView::set_scene(MapScene scene) {
  const Colouring colouring = scene_.colouring;
  const auto isolated = scene_.isolated;
  scene_ = std::move(scene);
  scene_.colouring = colouring;
  scene_.isolated = isolated;
  update();
}

void MapView::clear() {
  const Colouring colouring = scene_.colouring;  // chosen for whatever is shown
  scene_ = MapScene{};
  scene_.colouring = colouring;
  pools_.clear();
  hovered_.reset();
  hovered_slot_.reset();
  focus_.reset();
  painter_.reset();
  lay_out();
}

void MapView::set_missing(const QString& words) {
  missing_ = words;
  setAccessibleDescription(words);
  update();
}

void MapView::set_colouring(Colouring colouring) {
  scene_.colouring = colouring;
  update();
}

void MapView::isolate(std::optional<BlockClass> c) {
  scene_.isolated = c;
  update();
}

void MapView::set_selected(std::vector<std::uint32_t> blocks) {
  selected_ = std::move(blocks);
  update();
}

void MapView::set_sequence_blocks(std::vector<std::uint32_t> blocks) {
  sequence_blocks_ = std::move(blocks);
  update();
}

void MapView::set_changed(std::vector<std::uint32_t> blocks) {
  if (blocks.empty() && changed_.empty()) return;
  changed_ = std::move(blocks);
  update();
}

void MapView::set_moves(std::vector<MoveMark> moves) {
  moves_ = std::move(moves);
  update();
}

void MapView::set_tooltip(std::function<QString(std::uint32_t, std::optional<std::uint32_t>)> f) {
  tooltip_ = std::move(f);
}

void MapView::set_row_length(std::uint32_t blocks) {
  if (blocks == wanted_row_length_) return;
  wanted_row_length_ = blocks;
  painter_.reset();
  lay_out();
}

QRect MapView::cells_area() const {
  return rect().adjusted(map_gutter, map_margin, 0, -map_margin);
}

QPoint MapView::device(QPointF position) const {
  const QPointF p = (position - cells_area().topLeft()) * layout_.scale();
  return {static_cast<int>(std::floor(p.x())), static_cast<int>(std::floor(p.y()))};
}

void MapView::lay_out() {
  const double scale = devicePixelRatioF();
  const QSize view(std::max(1, static_cast<int>(std::lround(cells_area().width() * scale))),
                   std::max(1, static_cast<int>(std::lround(cells_area().height() * scale))));
  const std::vector<std::uint32_t>& whole = fit_pools_.empty() ? pools_ : fit_pools_;
  const std::uint32_t row_length = wanted_row_length_ != 0 ? wanted_row_length_
                                   : fitted_ ? automatic_row_length(whole, view, scale)
                                             : layout_.row_length();
  const QPoint origin = layout_.origin();
  const MapZoom zoom = fitted_ || row_length != layout_.row_length()
                           ? fitting_zoom(whole, row_length, view, scale)
                           : layout_.zoom();
  layout_ = MapLayout(pools_, row_length, zoom, view, scale);
  layout_.set_origin(fitted_ ? QPoint(0, 0) : origin);
  update();
  Q_EMIT place_changed();
}

void MapView::set_zoom(MapZoom zoom, QPoint origin) {
  if (zoom == layout_.zoom() && origin == layout_.origin()) return;
  fitted_ = false;
  layout_ = layout_.zoomed(zoom);
  layout_.set_origin(origin);
  update();
}

void MapView::set_fit_pools(std::vector<std::uint32_t> pools) {
  if (pools == fit_pools_) return;
  fit_pools_ = std::move(pools);
  if (fitted_) lay_out();
}

void MapView::share_place(const MapView& of) {
  fitted_ = of.fitted_;
  layout_ = MapLayout(pools_, of.layout_.row_length(), of.layout_.zoom(), layout_.view(),
                      layout_.scale());
  layout_.set_origin(of.layout_.origin());
  update();
}

void MapView::zoom_to(MapZoom zoom, QPoint at) {
  if (pools_.empty() || zoom == layout_.zoom()) return;
  const MapLayout before = layout_;
  // The block under the pointer stays under it.
  const auto block = before.block_at(at);
  fitted_ = false;
  layout_ = before.zoomed(zoom);
  if (block) {
    const QRect old_cell = before.cell(*block), new_cell = layout_.cell(*block);
    const double fx = static_cast<double>(at.x() - old_cell.left()) / old_cell.width();
    const double fy = static_cast<double>(at.y() - old_cell.top()) / old_cell.height();
    layout_.set_origin(
        new_cell.topLeft() - at +
        QPoint(static_cast<int>(fx * new_cell.width()), static_cast<int>(fy * new_cell.height())));
  } else {
    const double factor =
        static_cast<double>(layout_.content().width()) / std::max(1, before.content().width());
    layout_.set_origin(QPoint(static_cast<int>((before.origin().x() + at.x()) * factor),
                              static_cast<int>((before.origin().y() + at.y()) * factor)) -
                       at);
  }
  update();
  Q_EMIT place_changed();
}

QPoint MapView::zoom_centre() const {
  const QPoint pointer = mapFromGlobal(QCursor::pos());
  if (underMouse() && cells_area().contains(pointer)) return device(pointer);
  for (const auto& block : {focus_, selected_.empty() ? std::nullopt : std::optional(selected_[0])})
    if (block && *block < layout_.blocks()) {
      const QPoint c = layout_.cell(*block).center();
      if (QRect(QPoint(0, 0), layout_.view()).contains(c)) return c;
    }
  return {layout_.view().width() / 2, layout_.view().height() / 2};
}

void MapView::zoom_in() {
  zoom_to(zoomed_in(layout_.zoom()), zoom_centre());
}

void MapView::zoom_out() {
  zoom_to(zoomed_out(layout_.zoom(), layout_.row_length()), zoom_centre());
}

void MapView::fit() {
  fitted_ = true;
  lay_out();
}

void MapView::fit_selection() {
  std::vector<std::uint32_t> blocks = selected_;
  blocks.insert(blocks.end(), sequence_blocks_.begin(), sequence_blocks_.end());
  std::erase_if(blocks, [this](std::uint32_t b) { return b >= layout_.blocks(); });
  if (blocks.empty()) return fit();
  // The largest zoom at which the cells of all of them are in view.
  for (auto pitch = zoom_pitches.rbegin(); pitch != zoom_pitches.rend(); ++pitch) {
    const MapLayout trial = layout_.zoomed({*pitch, 1});
    QRect all;
    for (const std::uint32_t b : blocks)
      all |= trial.cell(b);
    const bool fits =
        all.width() <= layout_.view().width() && all.height() <= layout_.view().height();
    if (!fits && pitch + 1 != zoom_pitches.rend()) continue;
    set_zoom({*pitch, 1},
             all.center() - QPoint(layout_.view().width() / 2, layout_.view().height() / 2));
    Q_EMIT place_changed();
    return;
  }
}

void MapView::pan(int cells_right, int cells_down) {
  const QPoint origin = layout_.origin();
  const int by = std::max(layout_.pitch(), 24);
  layout_.set_origin(origin + QPoint(cells_right * by, cells_down * by));
  if (layout_.origin() == origin) return;
  fitted_ = false;
  update();
  Q_EMIT place_changed();
}

void MapView::reveal(std::uint32_t block) {
  if (!layout_.reveal(block)) return;
  update();
  Q_EMIT place_changed();
}

void MapView::move_focus(int columns, int rows) {
  if (layout_.blocks() == 0) return;
  focus_ = focus_ ? layout_.neighbour(*focus_, columns, rows)
                  : (selected_.empty() ? 0U : selected_.front());
  reveal(*focus_);
  hovered_ = focus_;
  hovered_slot_.reset();
  Q_EMIT hovered(hovered_);
  const QRect cell = layout_.cell(*focus_);
  show_tip(mapToGlobal(cells_area().topLeft() +
                       QPoint(static_cast<int>(cell.right() / layout_.scale()),
                              static_cast<int>(cell.bottom() / layout_.scale()))));
  update();
}

void MapView::hover(std::optional<std::uint32_t> block) {
  if (block == hovered_) return;
  hovered_ = block;
  hovered_slot_.reset();
  update();
}

MapMarks MapView::marks() const {
  MapMarks m;
  m.sequence = sequence_blocks_;
  m.changed = changed_;
  m.selected = selected_;
  m.hovered = hovered_;
  m.hovered_slot = hovered_slot_;
  if (hasFocus()) m.focus = focus_;
  m.moves = moves_;
  m.block_size = std::max(1U, scene_.pool.block_size);
  return m;
}

void MapView::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Palette& colours = palette_of(application_theme());
  p.fillRect(rect(), QColor(colours.panel));
  if (!missing_.isEmpty()) {
    const QRect area = cells_area();
    p.fillRect(area, unknown_brush(colours, devicePixelRatioF()));
    p.setPen(QColor(colours.ink_2));
    p.setFont(ui_font(13));
    const QRect words = QFontMetrics(p.font()).boundingRect(
        area.adjusted(area.width() / 6, 24, -area.width() / 6, -24),
        Qt::AlignCenter | Qt::TextWordWrap, missing_);
    p.fillRect(words.adjusted(-16, -12, 16, 12), QColor(colours.panel));
    p.drawText(words, Qt::AlignCenter | Qt::TextWordWrap, missing_);
    return;
  }
  if (scene_.pool.flags.empty() || layout_.blocks() > scene_.pool.flags.size()) return;
  if (layout_.scale() != devicePixelRatioF()) lay_out();  // moved to another screen
  scene_.palette = &colours;
  const QRect area = cells_area();
  QImage image = painter_.paint(scene_, layout_);
  image.setDevicePixelRatio(layout_.scale());
  p.drawImage(area.topLeft(), image);
  p.setClipRect(area.adjusted(-map_margin, -map_margin, map_margin, map_margin));
  p.translate(area.topLeft());
  p.scale(1 / layout_.scale(), 1 / layout_.scale());
  paint_marks(p, layout_, marks(), colours);
  p.setClipping(false);
  p.translate(-map_gutter * layout_.scale(), 0);
  paint_addresses(p, layout_, static_cast<int>(map_gutter * layout_.scale()), colours);
}

void MapView::hideEvent(QHideEvent*) {
  // The moment may change without a page that nobody sees being told, and the scene is then no
  // more.
  scene_.pool = {};
  scene_.slots = nullptr;
  scene_.logical = nullptr;
}

void MapView::resizeEvent(QResizeEvent*) {
  lay_out();
}

void MapView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    painter_.reset();
    update();
  }
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_map_view.cpp"
