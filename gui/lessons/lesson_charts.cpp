// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/lesson_charts.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/paint/icons.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr double axis_margin = 44, bar_top = 48, bar_height = 16;
constexpr double axis_title_height = 18;
constexpr double number_size = 11, value_size = 12, dot_radius = 4.5;

const Palette& colours() {
  return palette_of(application_theme());
}

void write(QPainter& painter, const QRectF& box, const QString& text, QRgb ink, double size,
           bool bold = false, int align = Qt::AlignCenter) {
  painter.setFont(ui_font(size, bold));
  painter.setPen(QColor(ink));
  painter.drawText(box, align, text);
}

/// 1, 2 or 5 times a power of ten, the next from `least` on; whole.
double round_step(double least) {
  double step = 1;
  while (step < least) {
    for (const double times : {2.0, 5.0})
      if (step * times >= least) return step * times;
    step *= 10;
  }
  return step;
}

/// Where an axis from 0 on has its numbers: at its quarters, and where these are not whole at round
/// steps and at its end, if that has room.
std::vector<double> axis_numbers(double highest, bool share) {
  const bool quarters = share || std::fmod(highest, 4) == 0;
  const double step = quarters ? highest / 4 : round_step(highest / 4);
  std::vector<double> numbers;
  for (int i = 0; i * step <= highest; ++i)
    numbers.push_back(i * step);
  if (highest - numbers.back() >= step / 2) numbers.push_back(highest);
  return numbers;
}

/// A label over a place on the axis that stays inside the widget.
void write_at(QPainter& painter, double x, double y, const QString& text, QRgb ink, bool bold,
              double width) {
  const double half = QFontMetricsF(ui_font(value_size, bold)).horizontalAdvance(text) / 2 + 2;
  const double at = std::clamp(x, half, std::max(half, width - half));
  write(painter, {at - half, y, 2 * half, 16}, text, ink, value_size, bold);
}

}  // namespace

AnswerAxis::AnswerAxis(QWidget* parent) : QWidget(parent) {}

void AnswerAxis::set_question(const QuestionPage& question) {
  question_ = question;
  setAccessibleName(tr("Your answer and the pool's: %1").arg(qt(question.title)));
  answer_.reset();
  set_reveal(nullptr);
}

void AnswerAxis::set_answer(std::optional<double> answer) {
  answer_ = answer;
  describe();
  update();
}

void AnswerAxis::set_reveal(const RevealPage* page) {
  truth_ = page ? std::optional(page->truth.value) : std::nullopt;
  marks_ = page ? page->marks : std::vector<MarkPage>{};
  if (page) answer_ = page->answer ? std::optional(page->answer->value) : std::nullopt;
  describe();
  update();
}

void AnswerAxis::describe() {
  QString text;
  if (answer_) text += tr("You said %1. ").arg(qt(with_unit(*answer_, question_.unit)));
  text += truth_ ? tr("It is %1.").arg(qt(with_unit(*truth_, question_.unit))) : tr("Not locked.");
  setAccessibleDescription(text);
}

void AnswerAxis::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& palette = colours();
  const double length = width() - 2 * axis_margin;
  const auto x_of = [&](double value) {
    return axis_margin + length * std::clamp(value / std::max(question_.highest, 1e-9), 0.0, 1.0);
  };
  const QRectF bar(axis_margin, bar_top, length, bar_height);
  painter.fillRect(bar, QColor(palette.rule));
  for (const double value : axis_numbers(question_.highest, question_.unit == "share"))
    write(painter, {x_of(value) - 50, bar.bottom() + 26, 100, 16},
          qt(lesson_number(value, question_.unit)), palette.ink_3, number_size);
  painter.setRenderHint(QPainter::Antialiasing, false);
  const auto stem = [&](double x, QRgb ink) {
    painter.setPen(QPen(QColor(ink), 2));
    painter.drawLine(QPointF(x, bar.top() - 12), QPointF(x, bar.bottom()));
  };
  if (!truth_) {
    if (!answer_) return;
    stem(x_of(*answer_), palette.accent);
    write_at(painter, x_of(*answer_), bar.top() - 32,
             tr("your answer: %1, not locked").arg(qt(lesson_number(*answer_, question_.unit))),
             palette.accent, true, width());
    return;
  }
  const double truth = x_of(*truth_);
  painter.fillRect(QRectF(bar.left(), bar.top(), truth - bar.left(), bar.height()),
                   QColor(palette.ink));
  for (const MarkPage& mark : marks_) {
    const double x = x_of(mark.value);
    painter.setPen(QPen(QColor(palette.ink_2), 1, Qt::DashLine));
    painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom() + 8));
    write_at(painter, x, bar.bottom() + 9, qt(mark.text), palette.ink_2, false, width());
  }
  const QString told = qt(lesson_number(*truth_, question_.unit));
  if (!answer_) {
    stem(truth, palette.ink);
    write_at(painter, truth, bar.top() - 32, told, palette.ink, true, width());
    return;
  }
  const double answer = x_of(*answer_);
  const QRectF gap(std::min(truth, answer), bar.top(), std::abs(truth - answer), bar.height());
  painter.fillRect(gap, unknown_brush(palette, devicePixelRatioF()));
  const double apart = std::abs(*truth_ - *answer_);
  const QString between = question_.unit == "share"
                              ? tr("gap %1 pp").arg(qt(format_decimal(apart * 100, 1)))
                              : tr("gap %1").arg(qt(with_unit(apart, question_.unit)));
  if (QFontMetricsF(ui_font(number_size)).horizontalAdvance(between) + 16 < gap.width())
    write(painter, {gap.left(), bar.top() - 17, gap.width(), 16}, between, palette.ink_2,
          number_size);
  stem(truth, palette.ink);
  stem(answer, palette.ink);
  // Two labels that would touch stand one above the other.
  const bool near = std::abs(truth - answer) < 150;
  write_at(painter, truth, bar.top() - 32, tr("it is %1").arg(told), palette.ink, true, width());
  write_at(painter, answer, bar.top() - (near ? 48 : 32),
           tr("you said %1").arg(qt(lesson_number(*answer_, question_.unit))), palette.ink, true,
           width());
}

LiveSlotsChart::LiveSlotsChart(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Blocks by live slots left"));
}

void LiveSlotsChart::set_counts(std::vector<std::uint64_t> counts, std::vector<double> law) {
  // What would be drawn as nothing at the far end, but for one column.
  const auto none = [&](std::size_t k) { return counts[k] == 0 && (law.empty() || law[k] < 0.5); };
  while (counts.size() > 2 && none(counts.size() - 1) && none(counts.size() - 2))
    counts.pop_back();
  law.resize(std::min(law.size(), counts.size()));
  counts_ = std::move(counts);
  law_ = std::move(law);
  QStringList parts;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    QString part = tr("%1 with %2 live").arg(qt(format_count(counts_[k]))).arg(k);
    if (!law_.empty()) part += tr(" (formula %1)").arg(qt(format_decimal(law_[k], 1)));
    parts << part;
  }
  setAccessibleDescription(parts.join(QStringLiteral(", ")));
  update();
}

void LiveSlotsChart::paintEvent(QPaintEvent*) {
  if (counts_.empty()) return;
  QPainter painter(this);
  const Palette& palette = colours();
  double most = std::max<double>(1, double(*std::max_element(counts_.begin(), counts_.end())));
  for (const double blocks : law_)
    most = std::max(most, blocks);
  const QRectF inside(axis_margin, 20, width() - 2 * axis_margin, height() - 44);
  const double step = inside.width() / static_cast<double>(counts_.size());
  const auto y_of = [&](double blocks) {
    return inside.bottom() - inside.height() * blocks / most;
  };
  const double tick = round_step(most / 3);
  for (double at = tick; at <= most; at += tick) {
    const double y = std::round(y_of(at)) + 0.5;
    painter.setPen(QColor(palette.grid_line));
    painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y));
    write(painter, {0, y - 8, axis_margin - 8, 16},
          qt(format_count(static_cast<std::uint64_t>(at))), palette.ink_3, number_size, false,
          Qt::AlignRight | Qt::AlignVCenter);
  }
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const double x = inside.left() + step * static_cast<double>(k);
    const double top = y_of(static_cast<double>(counts_[k]));
    const QRectF bar(x + step * 0.25, top, step * 0.5, inside.bottom() - top);
    painter.fillRect(bar, QColor(k == 0 ? palette.ink : palette.of(BlockClass::live)));
    if (step >= 28) {
      // Above the dot, where that would be in the way.
      const double dot = law_.empty() ? bar.top() : y_of(law_[k]) - dot_radius;
      const double foot =
          dot < bar.top() && dot > bar.top() - 18 - 2 * dot_radius ? dot : bar.top();
      write(painter, {x, foot - 18, step, 16}, qt(format_count(counts_[k])), palette.ink,
            value_size, k == 0);
      const QString name = step <= 60            ? QString::number(k)
                           : k == 0 && step > 90 ? tr("0 live: returned")
                                                 : tr("%1 live").arg(k);
      write(painter, {x, inside.bottom() + 4, step, 16}, name, palette.ink_2, number_size, k == 0);
    }
  }
  painter.setPen(QColor(palette.field_border));
  painter.drawLine(inside.bottomLeft(), inside.bottomRight());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor(palette.ink), 1.6));
  painter.setBrush(QColor(palette.halo));
  for (std::size_t k = 0; k < law_.size(); ++k)
    painter.drawEllipse(
        QPointF(inside.left() + step * (static_cast<double>(k) + 0.5), y_of(law_[k])), dot_radius,
        dot_radius);
}

CurveChart::CurveChart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void CurveChart::set_curve(CurvePage curve, std::size_t point) {
  curve_ = std::move(curve);
  point_ = point;
  setAccessibleName(tr("%1, along: %2").arg(qt(curve_.figure_title), qt(curve_.title)));
  describe();
  update();
}

void CurveChart::describe() {
  const CurvePoint& at = curve_.points[point_];
  QString text =
      tr("%1 %2: simulation %3").arg(qt(at.at_text), qt(curve_.unit), qt(at.simulated_text));
  if (at.law) text += tr(", formula %1").arg(qt(at.law_text));
  setAccessibleDescription(text);
}

double CurveChart::x_of(std::size_t point) const {
  const auto last = static_cast<double>(std::max<std::size_t>(curve_.points.size() - 1, 1));
  const double from = axis_margin + 36, to = width() - axis_margin - 16;
  return from + (to - from) * static_cast<double>(point) / last;
}

void CurveChart::paintEvent(QPaintEvent*) {
  if (curve_.points.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& palette = colours();
  double most = 0;
  for (const CurvePoint& point : curve_.points)
    most = std::max({most, point.simulated, point.law.value_or(0)});
  if (most <= 0) most = 1;
  // Above the highest point its number, above that what all of them are.
  const double bottom = height() - 46, top = 34 + axis_title_height;
  const auto y_of = [&](double value) { return bottom - (bottom - top) * value / most; };
  write(painter, {axis_margin, 0, width() - 2 * axis_margin, axis_title_height},
        qt(curve_.figure_title), palette.ink_2, number_size, false, Qt::AlignLeft);
  painter.setPen(QColor(palette.field_border));
  painter.drawLine(QPointF(axis_margin, bottom), QPointF(width() - axis_margin, bottom));
  QPolygonF law;
  for (std::size_t i = 0; i < curve_.points.size(); ++i)
    if (curve_.points[i].law) law << QPointF(x_of(i), y_of(*curve_.points[i].law));
  painter.setPen(QPen(QColor(palette.ink_2), 1.4, Qt::DashLine));
  painter.drawPolyline(law);
  for (std::size_t i = 0; i < curve_.points.size(); ++i) {
    const CurvePoint& point = curve_.points[i];
    const QPointF at(x_of(i), y_of(point.simulated));
    painter.setPen(QPen(QColor(palette.halo), 1));
    painter.setBrush(QColor(palette.of(BlockClass::live)));
    painter.drawEllipse(at, 5, 5);
    if (i == point_) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(QColor(hasFocus() ? palette.accent : palette.ink), 2));
      painter.drawEllipse(at, 9, 9);
    }
    write(painter, {at.x() - 60, at.y() - 26, 120, 16}, qt(point.simulated_text), palette.ink,
          value_size, i == point_);
    write(painter, {at.x() - 50, bottom + 5, 100, 16}, qt(point.at_text), palette.ink_3,
          number_size, i == point_);
  }
  write(painter, {axis_margin, bottom + 24, width() - 2 * axis_margin, axis_title_height},
        qt(curve_.title), palette.ink_2, number_size, false, Qt::AlignRight);
}

void CurveChart::choose(std::size_t point) {
  point_ = point;
  describe();
  update();
  Q_EMIT point_chosen(point);
}

void CurveChart::mousePressEvent(QMouseEvent* event) {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < curve_.points.size(); ++i)
    if (std::abs(x_of(i) - event->position().x()) < std::abs(x_of(nearest) - event->position().x()))
      nearest = i;
  if (!curve_.points.empty()) choose(nearest);
}

void CurveChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Right && point_ + 1 < curve_.points.size())
    choose(point_ + 1);
  else if (event->key() == Qt::Key_Left && point_ > 0)
    choose(point_ - 1);
  else
    QWidget::keyPressEvent(event);
}

HiddenChart::HiddenChart(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Hidden until you lock an answer"));
}

void HiddenChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& palette = colours();
  const QRectF box = QRectF(rect()).adjusted(axis_margin, 0.5, -axis_margin, -0.5);
  painter.setPen(QColor(palette.rule));
  painter.setBrush(QColor(palette.header));
  painter.drawRoundedRect(box, 6, 6);
  painter.setBrush(unknown_brush(palette, devicePixelRatioF()));
  painter.drawRoundedRect(box, 6, 6);
  const double wide = std::min(400.0, box.width() - 16);
  const QRectF card(box.center().x() - wide / 2, box.center().y() - 28, wide, 56);
  painter.setBrush(QColor(palette.panel));
  painter.setPen(QColor(palette.field_border));
  painter.drawRoundedRect(card, 6, 6);
  draw_icon(painter, Icon::lock, {card.left() + 16, card.center().y() - 8, 16, 16},
            QColor(palette.ink_2));
  write(painter, {card.left() + 44, card.top() + 8, card.width() - 52, 20},
        tr("Hidden until you lock an answer"), palette.ink, 13, true,
        Qt::AlignLeft | Qt::AlignVCenter);
  write(painter, {card.left() + 44, card.top() + 28, card.width() - 52, 20},
        tr("Then map, axis and this chart are drawn together."), palette.ink_2, value_size, false,
        Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace vacancy::gui

#include "moc_lesson_charts.cpp"
