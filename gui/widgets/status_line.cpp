// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/status_line.hpp"

#include <QEvent>
#include <QPainter>

#include "gui/paint/fonts.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

StatusLine::StatusLine(QWidget* parent) : QWidget(parent) {
  setFixedHeight(28);
  setAccessibleName(tr("Status"));
}

void StatusLine::set_sentences(const QString& next, const QString& last) {
  if (next == next_ && last == last_ && note_.isEmpty()) return;
  next_ = next;
  last_ = last;
  note_.clear();
  setAccessibleDescription(text());
  setToolTip(text());
  update();
}

void StatusLine::set_note(const QString& note) {
  note_ = note;
  setAccessibleDescription(note);
  update();
}

void StatusLine::set_position(const QString& position) {
  position_ = position;
  update();
}

QString StatusLine::text() const {
  if (!note_.isEmpty()) return note_;
  return tr("Next: %1 Last: %2").arg(next_, last_);
}

void StatusLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.header));
  painter.fillRect(0, 0, width(), 1, QColor(p.rule));
  painter.setFont(ui_font(12));
  painter.setPen(QColor(p.ink_3));
  const int position =
      position_.isEmpty() ? 0 : QFontMetrics(painter.font()).horizontalAdvance(position_) + 24;
  painter.drawText(rect().adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, position_);
  int x = 12;
  const int end = width() - position - 12;
  const auto part = [&](const QString& name, const QString& words) {
    if (words.isEmpty() || x > end - 60) return;
    painter.setPen(QColor(p.ink));
    if (!name.isEmpty()) {
      painter.setFont(ui_font(12.5, true));
      painter.drawText(QRect(x, 0, end - x, height()), Qt::AlignLeft | Qt::AlignVCenter, name);
      x += QFontMetrics(painter.font()).horizontalAdvance(name) + 8;
    }
    painter.setFont(ui_font(12.5));
    const QFontMetrics metrics(painter.font());
    const QString shown = metrics.elidedText(words, Qt::ElideRight, std::max(0, end - x));
    painter.drawText(QRect(x, 0, end - x, height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
    x += metrics.horizontalAdvance(shown) + 24;
  };
  if (!note_.isEmpty()) return part({}, note_);
  part(tr("Next"), next_);
  part(tr("Last"), last_);
}

void StatusLine::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_status_line.cpp"
