// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/compare_figures.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int figure_height = 27, side_pad = 14;

}  // namespace

CompareFigures::CompareFigures(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Figures of both runs"));
  setMinimumWidth(280);
}

void CompareFigures::show_rows(std::vector<FigureRow> rows, const QString& moment) {
  rows_ = std::move(rows);
  moment_ = moment;
  QString all = tr("At %1. ").arg(moment_);
  for (const FigureRow& row : rows_)
    all += tr("%1: A %2, B %3, %4. ")
               .arg(text_of(row.name), text_of(row.a), text_of(row.b), text_of(row.difference));
  setAccessibleDescription(all);
  update();
}

void CompareFigures::set_divergence(const QString& title, const QString& sentence, bool where) {
  divergence_title_ = title;
  divergence_ = sentence;
  has_divergence_ = where;
  update();
}

QString CompareFigures::way_there() const {
  return has_divergence_ ? tr("A click here, or Ctrl+G, goes there.") : QString();
}

void CompareFigures::mousePressEvent(QMouseEvent* event) {
  if (has_divergence_ && divergence_box_.contains(event->pos())) Q_EMIT divergence_wanted();
}

void CompareFigures::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  const int wide = width() - 2 * side_pad;
  int y = 12;
  if (!divergence_title_.isEmpty()) {
    painter.setFont(ui_font(12.5));
    const QRect words =
        QFontMetrics(painter.font())
            .boundingRect(QRect(0, 0, wide - 24, 400), Qt::TextWordWrap, divergence_);
    const QString way = way_there();
    const QRect box(side_pad, y, wide, words.height() + (way.isEmpty() ? 44 : 64));
    divergence_box_ = box;
    painter.fillRect(box, QColor(p.accent_tint));
    painter.fillRect(QRect(box.topLeft(), QSize(3, box.height())), QColor(p.accent));
    draw_glyph(painter, Glyph::divergence, QPointF(box.left() + 20, box.top() + 19), 10, p);
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(box.left() + 14, box.top() + 34, wide - 24, words.height()),
                     Qt::TextWordWrap, divergence_);
    painter.setFont(ui_font(13, true));
    painter.drawText(QRect(box.left() + 34, box.top() + 8, wide - 44, 22),
                     Qt::AlignLeft | Qt::AlignVCenter, divergence_title_);
    painter.setFont(fitting_font(way, wide - 24, 11.5));
    painter.setPen(QColor(p.ink_3));
    painter.drawText(QRect(box.left() + 14, box.bottom() - 27, wide - 24, 20),
                     Qt::AlignLeft | Qt::AlignVCenter, way);
    y += box.height() + 10;
  }
  // As wide as their numbers; names have the rest.
  std::array<int, 3> columns{};
  const QFontMetrics plain(ui_font(12.5)), bold(ui_font(12.5, true));
  for (const FigureRow& row : rows_) {
    columns[0] = std::max(columns[0], plain.horizontalAdvance(text_of(row.a)));
    columns[1] = std::max(columns[1], plain.horizontalAdvance(text_of(row.b)));
    columns[2] = std::max(columns[2], bold.horizontalAdvance(text_of(row.difference)));
  }
  for (int& column : columns)
    column = std::max(column, 40) + 12;
  const int name = wide - columns[0] - columns[1] - columns[2];
  const auto cell = [&](int column) {
    if (column == 0) return QRect(side_pad, y, name, figure_height);
    const auto before = columns.begin() + (column - 1);
    return QRect(side_pad + std::accumulate(columns.begin(), before, name), y, *before,
                 figure_height);
  };
  const int right = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  painter.setFont(ui_font(12));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(cell(0), Qt::AlignLeft | Qt::AlignVCenter, tr("at %1").arg(moment_));
  const QString heads[] = {QStringLiteral("A"), QStringLiteral("B"), QStringLiteral("B − A")};
  for (int c = 1; c <= 3; ++c)
    painter.drawText(cell(c).adjusted(0, 0, -6, 0), right, heads[c - 1]);
  y += figure_height;
  for (const FigureRow& row : rows_) {
    painter.fillRect(side_pad, y, wide, 1, QColor(p.rule));
    if (row.size != 0) {
      const QRgb side = row.size < 0 ? p.run_a : p.run_b;
      painter.fillRect(cell(3).adjusted(0, 1, 0, 0),
                       QColor(mix(p.panel, side, 0.08 + 0.32 * std::abs(row.size))));
    }
    const QString words = text_of(row.name);
    painter.setFont(fitting_font(words, name, 12.5));
    painter.setPen(QColor(p.ink));
    painter.drawText(cell(0), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(words, Qt::ElideRight, name));
    painter.setFont(ui_font(12.5));
    painter.drawText(cell(1).adjusted(0, 0, -6, 0), right, text_of(row.a));
    painter.drawText(cell(2).adjusted(0, 0, -6, 0), right, text_of(row.b));
    painter.setPen(QColor(row.size == 0 ? p.ink_2 : p.ink));
    painter.setFont(ui_font(12.5, std::abs(row.size) > 0.5));
    painter.drawText(cell(3).adjusted(0, 0, -6, 0), right, text_of(row.difference));
    y += figure_height;
  }
  painter.fillRect(side_pad, y, wide, 1, QColor(p.rule));
  painter.setFont(ui_font(11.5));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(
      QRect(side_pad, y + 8, wide, 34), Qt::TextWordWrap,
      tr("Tint = size of the relative difference; hue = which run has more. No verdict."));
  y += 46;
  for (const bool b : {false, true}) {
    for (int i = 0; i < 4; ++i)
      painter.fillRect(side_pad + i * 22, y, 22, 11,
                       QColor(mix(p.panel, b ? p.run_b : p.run_a, 0.08 + 0.32 * (i + 1) / 4.0)));
    painter.drawText(QRect(side_pad + 98, y - 4, wide - 98, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     b ? tr("B more: small → large") : tr("A more: small → large"));
    y += 19;
  }
}

void CompareFigures::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_compare_figures.cpp"
