// SPDX-License-Identifier: Apache-2.0
// What a MapView does with mouse and keyboard.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "gui/paint/slot_grid.hpp"
#include "gui/widgets/map_view.hpp"

namespace vacancy::gui {
namespace {

constexpr int drag_distance = 4;
constexpr int wheel_step = 120;  // eighths of a degree of one notch

}  // namespace

void MapView::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if ((event->modifiers() & Qt::ShiftModifier) != 0 || turned.x() != 0) {
    const int by = turned.x() != 0 ? turned.x() : turned.y();
    pan(by > 0 ? -2 : 2, 0);
    return event->accept();
  }
  wheel_ += turned.y();
  const QPoint at = device(event->position());
  for (; wheel_ >= wheel_step; wheel_ -= wheel_step) {
    const MapZoom zoom = layout_.zoom();
    const bool fine = (event->modifiers() & Qt::ControlModifier) != 0 && zoom.blocks_per_cell == 1;
    zoom_to(fine ? MapZoom{std::min(zoom.pitch + 1, zoom_pitches.back()), 1} : zoomed_in(zoom), at);
  }
  for (; wheel_ <= -wheel_step; wheel_ += wheel_step) {
    const MapZoom zoom = layout_.zoom();
    const bool fine = (event->modifiers() & Qt::ControlModifier) != 0 && zoom.pitch > 1;
    zoom_to(fine ? MapZoom{zoom.pitch - 1, 1} : zoomed_out(zoom, layout_.row_length()), at);
  }
  event->accept();
}

void MapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  pressed_ = event->position();
  pressed_origin_ = layout_.origin();
  dragging_ = false;
}

void MapView::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_) {
    const QPointF by = event->position() - *pressed_;
    if (!dragging_ && by.manhattanLength() > drag_distance) {
      dragging_ = true;
      setCursor(Qt::ClosedHandCursor);
    }
    if (dragging_) {
      const QPointF device_by = by * layout_.scale();
      layout_.set_origin(pressed_origin_ - device_by.toPoint());
      if (layout_.origin() != pressed_origin_) fitted_ = false;
      update();
      Q_EMIT place_changed();
      return;
    }
  }
  std::optional<std::uint32_t> block, slot;
  const QPoint at = device(event->position());
  if (cells_area().contains(event->position().toPoint()) && !scene_.pool.flags.empty())
    block = layout_.block_at(at);
  if (block && layout_.level() == MapLevel::numbers && scene_.slots &&
      (scene_.pool.flags[*block] & BlockFlag::held) != 0)
    slot = SlotGrid(layout_, layout_.cell(*block), scene_.pool.block_size).slot_at(at);
  if (block == hovered_ && slot == hovered_slot_) return;
  hovered_ = block;
  hovered_slot_ = slot;
  Q_EMIT hovered(block);
  show_tip(event->globalPosition().toPoint());
  update();
}

void MapView::show_tip(QPoint global) {
  if (hovered_ && tooltip_)
    QToolTip::showText(global + QPoint(8, 8), tooltip_(*hovered_, hovered_slot_), this);
  else
    QToolTip::hideText();
}

void MapView::mouseReleaseEvent(QMouseEvent* event) {
  unsetCursor();
  if (pressed_ && !dragging_ && event->button() == Qt::LeftButton)
    if (const auto block = layout_.block_at(device(event->position()))) {
      focus_ = block;
      Q_EMIT chosen(*block, (event->modifiers() & Qt::ControlModifier) != 0);
    }
  pressed_.reset();
  dragging_ = false;
  update();
}

void MapView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto block = layout_.block_at(device(event->position()));
  if (block)
    Q_EMIT opened(*block);
  else
    fit();
}

void MapView::leaveEvent(QEvent*) {
  if (!hovered_) return;
  hovered_.reset();
  hovered_slot_.reset();
  Q_EMIT hovered(std::nullopt);
  update();
}

void MapView::keyPressEvent(QKeyEvent* event) {
  if (focus_ && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
    Q_EMIT chosen(*focus_, (event->modifiers() & Qt::ControlModifier) != 0);
  else
    QWidget::keyPressEvent(event);
}

void MapView::focusInEvent(QFocusEvent* event) {
  if (!focus_ && event->reason() != Qt::MouseFocusReason && layout_.blocks() > 0)
    focus_ = selected_.empty() ? 0U : selected_.front();
  update();
}

void MapView::focusOutEvent(QFocusEvent*) {
  update();
}

}  // namespace vacancy::gui
