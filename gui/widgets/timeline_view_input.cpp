// SPDX-License-Identifier: Apache-2.0
// What a TimelineView does with the mouse.
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {

void TimelineView::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  const bool sideways = (event->modifiers() & Qt::ShiftModifier) != 0 || turned.x() != 0;
  const int by = turned.x() != 0 ? turned.x() : turned.y();
  if (sideways)
    show_span(moved(shown_, by > 0 ? -shown_.length() / 10 : shown_.length() / 10, run_));
  else if (by != 0)
    show_span(zoomed(
        shown_, std::pow((event->modifiers() & Qt::ControlModifier) != 0 ? 0.9 : 0.7, by / 120.0),
        axis().time_at(event->position().x()), run_));
  event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  const TimelineStrips s = strips();
  const QPoint at = event->position().toPoint();
  const std::int64_t t = std::clamp(axis().time_at(at.x()), run_.from, run_.to);
  drag_time_ = t;
  drag_span_ = shown_;
  if (event->button() == Qt::MiddleButton) {
    drag_ = Drag::pan;
  } else if (event->button() == Qt::LeftButton && s.minimap.adjusted(-4, -3, 4, 3).contains(at)) {
    const TimeAxis whole(run_, s.minimap.left(), s.minimap.width());
    const double left = whole.x_of(shown_.from), right = whole.x_of(shown_.to);
    drag_time_ = whole.time_at(at.x());
    drag_ = std::abs(at.x() - left) <= 5    ? Drag::map_left
            : std::abs(at.x() - right) <= 5 ? Drag::map_right
                                            : Drag::map;
    if (drag_ == Drag::map && (at.x() < left || at.x() > right)) {
      show_span(moved(shown_, drag_time_ - (shown_.from + shown_.to) / 2, run_));
      drag_span_ = shown_;
    }
  } else if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier) != 0) {
    drag_ = Drag::brush;
  } else if (event->button() == Qt::RightButton) {
    drag_ = Drag::brush;
  } else if (event->button() == Qt::LeftButton && at.x() >= s.bands.left() - 4 &&
             at.x() <= s.bands.right() + 4) {
    drag_ = Drag::cursor;
    Q_EMIT moved_to(t);
  }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const TimelineStrips s = strips();
  const double x = event->position().x();
  const TimeAxis whole(run_, s.minimap.left(), s.minimap.width());
  const std::int64_t shortest = std::min<std::int64_t>(run_.length(), 1000);
  switch (drag_) {
    case Drag::none:
      break;
    case Drag::cursor:
      Q_EMIT moved_to(std::clamp(axis().time_at(x), run_.from, run_.to));
      break;
    case Drag::brush: {
      const std::int64_t t = std::clamp(axis().time_at(x), run_.from, run_.to);
      brushed_ = TimeSpan{std::min(t, drag_time_), std::max(t, drag_time_) + 1};
      Q_EMIT brush_changed();
      update();
      break;
    }
    case Drag::pan: {
      const TimeAxis before(drag_span_, s.bands.left(), s.bands.width());
      show_span(moved(drag_span_, drag_time_ - before.time_at(x), run_));
      break;
    }
    case Drag::map:
      show_span(moved(drag_span_, whole.time_at(x) - drag_time_, run_));
      break;
    case Drag::map_left:
      show_span({std::clamp(whole.time_at(x), run_.from, shown_.to - shortest), shown_.to});
      break;
    case Drag::map_right:
      show_span({shown_.from, std::clamp(whole.time_at(x), shown_.from + shortest, run_.to)});
      break;
  }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  if (drag_ == Drag::brush && brushed_ && event->button() == Qt::RightButton) show_brushed();
  drag_ = Drag::none;
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent*) {
  show_all();
}

}  // namespace vacancy::gui
