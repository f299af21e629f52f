// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/plot_view.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "gui/model/form/qt_text.hpp"
#include "gui/model/sweep/figure_words.hpp"
#include "gui/paint/fonts.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/tables.hpp"

namespace vacancy::gui {

namespace {

constexpr double left = 64, right = 16, top = 28, bottom = 46;
constexpr double label_size = 11, legend_size = 11, line_height = 18;
constexpr double reach = 10;  // pixels from a dot that still mean it
constexpr std::size_t shapes = 6;

/// By their number, six shapes that stay apart when small; those after them are hollow.
QPainterPath shape_path(std::size_t shape, QPointF at, double radius) {
  QPainterPath path;
  switch (shape % shapes) {
    case 0:
      path.addEllipse(at, radius, radius);
      break;
    case 1:
      path.addRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius));
      break;
    case 2:
      path.addPolygon(QPolygonF{{at.x(), at.y() - radius * 1.2},
                                {at.x() + radius * 1.1, at.y() + radius * 0.8},
                                {at.x() - radius * 1.1, at.y() + radius * 0.8}});
      path.closeSubpath();
      break;
    case 3:
      path.addPolygon(QPolygonF{{at.x(), at.y() - radius * 1.3},
                                {at.x() + radius * 1.3, at.y()},
                                {at.x(), at.y() + radius * 1.3},
                                {at.x() - radius * 1.3, at.y()}});
      path.closeSubpath();
      break;
    case 4:
      path.addPolygon(QPolygonF{{at.x(), at.y() + radius * 1.2},
                                {at.x() + radius * 1.1, at.y() - radius * 0.8},
                                {at.x() - radius * 1.1, at.y() - radius * 0.8}});
      path.closeSubpath();
      break;
    default:
      path.moveTo(at + QPointF(-radius, -radius));
      path.lineTo(at + QPointF(radius, radius));
      path.moveTo(at + QPointF(radius, -radius));
      path.lineTo(at + QPointF(-radius, radius));
  }
  return path;
}

QColor colour_of(std::size_t colour, const Palette& palette) {
  const std::array<QRgb, 6> inks = {palette.of(BlockClass::live),
                                    palette.of(BlockClass::pinned),
                                    palette.of(BlockClass::hole),
                                    palette.of(BlockClass::shared),
                                    palette.ink_2,
                                    palette.of(BlockClass::cached_free)};
  return QColor(inks[colour % inks.size()]);
}

/// Larger marks for later colours: equal points nest instead of hiding each other.
double radius_of(std::size_t colour) {
  return 4 + 1.6 * static_cast<double>(colour % 5);
}

void draw_mark(QPainter& painter, std::size_t shape, std::size_t colour, QPointF at,
               const Palette& palette) {
  const bool crossed = shape % shapes == shapes - 1, hollow = shape / shapes % 2 == 1;
  const QPainterPath path = shape_path(shape, at, radius_of(colour));
  const QColor ink = colour_of(colour, palette);
  if (crossed && hollow) {
    painter.setPen(QPen(ink, 2));
    painter.drawLine(at - QPointF(radius_of(colour), 0), at + QPointF(radius_of(colour), 0));
    painter.drawLine(at - QPointF(0, radius_of(colour)), at + QPointF(0, radius_of(colour)));
    return;
  }
  painter.setPen(QPen(crossed || hollow ? ink : QColor(palette.halo), crossed || hollow ? 2 : 1));
  painter.setBrush(crossed  ? QBrush(Qt::NoBrush)
                   : hollow ? QBrush(QColor(palette.panel))
                            : QBrush(ink));
  painter.drawPath(path);
}

void draw_axes(QPainter& painter, const QRectF& inside, const SweepPlot& plot,
               const Palette& palette) {
  painter.setFont(ui_font(label_size));
  for (const PlotTick& tick : plot.x_ticks) {
    const double x = inside.left() + tick.at * inside.width();
    painter.setPen(QColor(palette.grid_line));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
    painter.setPen(QColor(palette.ink_3));
    painter.drawText(QRectF(x - 60, inside.bottom() + 4, 120, 16), Qt::AlignHCenter, qt(tick.text));
  }
  for (const PlotTick& tick : plot.y_ticks) {
    const double y = inside.bottom() - tick.at * inside.height();
    painter.setPen(QColor(palette.grid_line));
    painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y));
    painter.setPen(QColor(palette.ink_3));
    painter.drawText(QRectF(0, y - 9, inside.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter,
                     qt(tick.text));
  }
  if (plot.zero_apart && plot.x_ticks.size() > 1) {
    const double x = inside.left() + inside.width() * (plot.x_ticks[0].at + plot.x_ticks[1].at) / 2;
    painter.setPen(QPen(QColor(palette.ink_3), 1, Qt::DotLine));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
  }
  painter.setPen(QColor(palette.ink_2));
  const QString note = plot.zero_apart ? QObject::tr(" (log; 0 apart)") : QString();
  painter.drawText(QRectF(inside.left(), inside.bottom() + 22, inside.width(), 18), Qt::AlignRight,
                   qt(plot.x_label) + note);
  painter.drawText(QRectF(inside.left(), inside.top() - 22, inside.width(), 18), Qt::AlignLeft,
                   qt(plot.y_label));
  painter.setPen(QColor(palette.rule));
  painter.drawRect(inside);
}

void draw_legend(QPainter& painter, const QRectF& inside, const SweepPlot& plot,
                 const Palette& palette) {
  const auto lines = std::max(plot.shapes.size(), plot.colours.size());
  const double height = line_height * static_cast<double>(lines + 1) + 12;
  if (lines < 2) return;
  painter.setFont(ui_font(legend_size));
  const QFontMetricsF metrics(painter.font());
  const QString shape_title = QObject::tr("shape: %1").arg(qt(plot.shape_axis));
  const QString colour_title = QObject::tr("colour, size: %1").arg(qt(plot.colour_axis));
  using Names = std::map<std::size_t, std::string>;
  const auto width = [&](const Names& names, const QString& title) {
    double most = metrics.horizontalAdvance(title) - 18;
    for (const auto& [mark, name] : names)
      most = std::max(most, metrics.horizontalAdvance(qt(name)));
    return names.size() < 2 ? 0 : most + 34;
  };
  const double first = width(plot.shapes, shape_title);
  const double second = width(plot.colours, colour_title);
  if (first + second + 44 > inside.width() || height + 24 > inside.height()) {
    painter.setPen(QColor(palette.ink_2));
    painter.drawText(inside.adjusted(12, 8, -12, -8), Qt::AlignRight | Qt::AlignBottom,
                     QObject::tr("too many marks for a legend here: the table and tooltips name "
                                 "them"));
    return;
  }
  // In the corner with the fewest dots.
  const auto crowd = [&](bool to_right, bool below) {
    return std::count_if(plot.dots.begin(), plot.dots.end(), [&](const PlotDot& dot) {
      return (dot.x > 0.5) == to_right && (dot.y < 0.5) == below;
    });
  };
  bool to_right = true, below = true;
  for (const bool each_right : {true, false})
    for (const bool each_below : {true, false})
      if (crowd(each_right, each_below) < crowd(to_right, below)) {
        to_right = each_right;
        below = each_below;
      }
  const QRectF box(to_right ? inside.right() - first - second - 20 : inside.left() + 12,
                   below ? inside.bottom() - height - 12 : inside.top() + 12, first + second + 8,
                   height);
  painter.setPen(QColor(palette.rule));
  painter.setBrush(QColor(palette.panel));
  painter.drawRoundedRect(box, 4, 4);
  const auto column = [&](const Names& names, const QString& title, double x, bool is_shape) {
    if (names.size() < 2) return;
    painter.setPen(QColor(palette.ink_2));
    painter.drawText(QRectF(x + 10, box.top() + 6, 400, line_height),
                     Qt::AlignLeft | Qt::AlignVCenter, title);
    double y = box.top() + 15;
    for (const auto& [mark, name] : names) {
      y += line_height;
      draw_mark(painter, is_shape ? mark : 0, is_shape ? 0 : mark, {x + 14, y}, palette);
      painter.setPen(QColor(palette.ink));
      painter.drawText(QRectF(x + 28, y - 9, 200, 18), Qt::AlignLeft | Qt::AlignVCenter, qt(name));
    }
  };
  column(plot.shapes, shape_title, box.left(), true);
  column(plot.colours, colour_title, box.left() + first, false);
}

}  // namespace

void draw_sweep_mark(QPainter& painter, const PlotDot& dot, QPointF at, const Palette& palette) {
  draw_mark(painter, dot.shape, dot.colour, at, palette);
}

QRectF plot_inside(const QRectF& box) {
  return box.adjusted(left, top, -right, -bottom);
}

void draw_sweep_plot(QPainter& painter, const QRectF& box, const SweepPlot& plot,
                     const Palette& palette, std::optional<std::size_t> current, bool legend) {
  painter.fillRect(box, QColor(palette.panel));
  const QRectF inside = plot_inside(box);
  painter.setRenderHint(QPainter::Antialiasing, false);
  draw_axes(painter, inside, plot, palette);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto place = [&](double x, double y) {
    return QPointF(inside.left() + x * inside.width(), inside.bottom() - y * inside.height());
  };
  if (!plot.front.empty()) {
    QPolygonF steps;
    for (const auto& [x, y] : plot.front)
      steps << place(x, y);
    painter.setPen(QPen(QColor(palette.ink_2), 1.2, Qt::DashLine));
    painter.drawPolyline(steps);
  }
  if (plot.joined) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<double, double>>> lines;
    for (const PlotDot& dot : plot.dots)
      lines[{dot.shape, dot.colour}].emplace_back(dot.x, dot.y);
    for (auto& [series, points] : lines) {
      std::sort(points.begin(), points.end());
      QPolygonF line;
      for (const auto& [x, y] : points)
        line << place(x, y);
      painter.setPen(QPen(colour_of(series.second, palette), 1.2));
      painter.drawPolyline(line);
    }
  }
  // The largest first, so that the smaller ones stand on them.
  std::vector<std::size_t> order(plot.dots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return radius_of(plot.dots[a].colour) > radius_of(plot.dots[b].colour);
  });
  for (const std::size_t i : order) {
    const PlotDot& dot = plot.dots[i];
    const QPointF at = place(dot.x, dot.y);
    if (dot.high > dot.low) {
      painter.setPen(QPen(colour_of(dot.colour, palette), 1));
      painter.drawLine(place(dot.x, dot.low), place(dot.x, dot.high));
    }
    draw_mark(painter, dot.shape, dot.colour, at, palette);
  }
  if (current && *current < plot.dots.size()) {
    const PlotDot& dot = plot.dots[*current];
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(palette.ink), 2));
    const double radius = radius_of(dot.colour) + 6;
    painter.drawEllipse(place(dot.x, dot.y), radius, radius);
  }
  if (legend) draw_legend(painter, inside, plot, palette);
}

PlotView::PlotView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Plot of the sweep"));
}

void PlotView::set_plot(const Sweep* sweep, std::shared_ptr<const SweepResults> results,
                        const PlotChoice& choice, const HiddenValues& hidden) {
  const auto row = current_ ? std::optional(plot_.dots[*current_].row) : std::nullopt;
  sweep_ = sweep;
  results_ = std::move(results);
  plot_ = sweep_ && results_ ? make_plot(*sweep_, *results_, choice, hidden) : SweepPlot{};
  current_.reset();
  set_current_row(row);
  setAccessibleDescription(plot_.dots.empty()
                               ? absence()
                               : tr("%1 points, %2 over %3; the arrow keys go from point to point.")
                                     .arg(plot_.dots.size())
                                     .arg(qt(plot_.y_label), qt(plot_.x_label)));
  update();
}

void PlotView::set_legend(bool on) {
  legend_ = on;
  update();
}

const PlotDot* PlotView::dot_of(std::size_t row) const {
  for (const PlotDot& dot : plot_.dots)
    if (dot.row == row) return &dot;
  return nullptr;
}

void PlotView::set_current_row(std::optional<std::size_t> row) {
  const PlotDot* const dot = row ? dot_of(*row) : nullptr;
  current_ = dot ? std::optional<std::size_t>(dot - plot_.dots.data()) : std::nullopt;
  update();
}

std::optional<std::size_t> PlotView::dot_at_position(QPointF position) const {
  const QRectF inside = plot_inside(rect());
  return dot_at(plot_, position.x() - inside.left(), position.y() - inside.top(), inside.width(),
                inside.height(), reach);
}

QString PlotView::absence() const {
  if (!plot_.dots.empty()) return {};
  if (plot_.hidden > 0)
    return tr("All points with both values are hidden: show values of an axis.");
  if (plot_.left_out > 0) return tr("No point has both values yet.");
  return tr("Run the sweep to see its points.");
}

QString PlotView::dot_text(std::size_t dot) const {
  const PointResult& point = results_->points[plot_.dots[dot].row];
  QString text = qt(place_text(*sweep_, point.at));
  for (std::size_t i = 0; i < sweep_->figures.size(); ++i)
    if (results_->shown[i] && point.figures[i].mean)
      text += '\n' + qt(in_words(sweep_->figures[i]).key) + ' ' +
              qt(figure_text(point.figures[i], sweep_->figures[i].unit));
  return text + '\n' + tr("Enter or a double click opens the run.");
}

void PlotView::choose(std::size_t dot) {
  current_ = dot;
  setAccessibleDescription(dot_text(dot));
  update();
  Q_EMIT row_chosen(plot_.dots[dot].row);
}

void PlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& palette = palette_of(application_theme());
  draw_sweep_plot(painter, rect(), plot_, palette, current_, legend_);
  painter.setPen(QColor(palette.ink_2));
  painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, absence());
  if (!hasFocus()) return;
  painter.setPen(QPen(QColor(palette.accent), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  if (const auto dot = dot_at_position(event->position())) choose(*dot);
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto dot = dot_at_position(event->position())) Q_EMIT row_opened(plot_.dots[*dot].row);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  const bool onward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
  const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
  if ((onward || back) && !plot_.dots.empty()) {
    // In the order in which they stand, from left to right.
    std::vector<std::size_t> order(plot_.dots.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return plot_.dots[a].x < plot_.dots[b].x;
    });
    const auto at = current_ ? std::find(order.begin(), order.end(), *current_) : order.end();
    const auto index = at - order.begin();
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    const auto next = !current_ ? 0
                      : onward  ? std::min(index + 1, count - 1)
                                : std::max<std::ptrdiff_t>(index - 1, 0);
    choose(order[static_cast<std::size_t>(next)]);
  } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_) {
    Q_EMIT row_opened(plot_.dots[*current_].row);
  } else {
    QWidget::keyPressEvent(event);
  }
}

bool PlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);  // none where it is empty
  return true;
}

/// Of a dot; where a figure's name stands its key, as a sweep file has it.
QString PlotView::tip_at(QPointF position) const {
  if (const auto dot = dot_at_position(position)) return dot_text(*dot);
  const QRectF inside = plot_inside(rect());
  if (position.y() < inside.top()) return qt(plot_.y_key);
  if (position.y() > inside.bottom()) return qt(plot_.x_key);
  return {};
}

}  // namespace vacancy::gui

#include "moc_plot_view.cpp"
