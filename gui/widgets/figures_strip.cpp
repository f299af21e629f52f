// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/figures_strip.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {
namespace {

constexpr int least_width = 176;

}  // namespace

FiguresStrip::FiguresStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(64);
  setMinimumWidth(320);
  setAccessibleName(tr("Key figures"));
}

void FiguresStrip::set_figures(std::vector<Figure> figures) {
  figures_ = std::move(figures);
  QString all;
  for (const Figure& f : figures_)
    all += f.name + ' ' + f.value + ' ' + f.note + QStringLiteral(". ");
  setAccessibleDescription(all);
  update();
}

int FiguresStrip::shown() const {
  return std::clamp(width() / least_width, 1, std::max(1, static_cast<int>(figures_.size())));
}

void FiguresStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  painter.fillRect(0, height() - 1, width(), 1, QColor(p.rule));
  const int n = shown(), wide = width() / n;
  for (int i = 0; i < n && i < static_cast<int>(figures_.size()); ++i) {
    const Figure& f = figures_[static_cast<std::size_t>(i)];
    const int left = i * wide + 16, room = wide - 24;
    if (i > 0) painter.fillRect(i * wide, 12, 1, height() - 26, QColor(p.rule));
    painter.setPen(QColor(p.ink_2));
    painter.setFont(ui_font(12));
    painter.drawText(QRect(left, 8, room, 17), Qt::AlignLeft | Qt::AlignVCenter, f.name);
    painter.setPen(QColor(p.ink));
    // The number gives way to what it is a figure of.
    double number_size = 21, note_size = 12;
    const auto needed = [&] {
      return QFontMetrics(ui_font(number_size, true)).horizontalAdvance(f.value) + 9 +
             QFontMetrics(ui_font(note_size)).horizontalAdvance(f.note);
    };
    while (number_size > 17 && needed() > room) {
      number_size -= 1;
      note_size = 11;
    }
    painter.setFont(ui_font(number_size, true));
    const int number_width = QFontMetrics(painter.font()).horizontalAdvance(f.value);
    painter.drawText(QRect(left, 24, room, 28), Qt::AlignLeft | Qt::AlignVCenter, f.value);
    painter.setPen(QColor(p.ink_3));
    painter.setFont(ui_font(note_size));
    const QFontMetrics metrics(painter.font());
    const QRect note(left + number_width + 9, 29, room - number_width - 9, 20);
    if (note.width() > 30)
      painter.drawText(note, Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(f.note, Qt::ElideRight, note.width()));
    if (f.bar) {
      painter.fillRect(QRect(left, 54, room - 8, 4), QColor(p.rule));
      painter.fillRect(QRectF(left, 54, (room - 8) * std::clamp(*f.bar, 0.0, 1.0), 4),
                       QColor(p.ink));
    }
  }
}

bool FiguresStrip::event(QEvent* e) {
  if (e->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(e);
    const auto i = static_cast<std::size_t>(help->x() * shown() / std::max(1, width()));
    if (i < figures_.size()) QToolTip::showText(help->globalPos(), figures_[i].explanation, this);
    return true;
  }
  return QWidget::event(e);
}

void FiguresStrip::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_figures_strip.cpp"
