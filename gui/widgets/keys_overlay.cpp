// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/keys_overlay.hpp"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <vector>

#include "gui/paint/fonts.hpp"
#include "gui/paint/palette.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

struct Line {
  QString keys, words;  // without keys: a heading
};

std::vector<Line> lines() {
  std::vector<Line> all;
  for (const std::string_view category : command_categories()) {
    bool headed = false;
    for (const Command& c : command_table()) {
      if (c.category != category || c.keys.empty()) continue;
      if (!headed) all.push_back({{}, text_of(category).remove('&')});
      headed = true;
      all.push_back({key_text(keys_of(c)), text_of(c.description)});
    }
  }
  all.push_back({{}, QObject::tr("Mouse")});
  all.push_back({QObject::tr("Wheel"), QObject::tr("Zoom at the pointer; Ctrl finer")});
  all.push_back({QObject::tr("Drag"), QObject::tr("Pan; Shift + wheel sideways")});
  all.push_back({QObject::tr("Click"), QObject::tr("Keep block and sequence; Ctrl adds")});
  all.push_back({QObject::tr("Shift + drag"), QObject::tr("Timeline: brush a range")});
  return all;
}

}  // namespace

KeysOverlay::KeysOverlay(QWidget* over) : QWidget(over) {
  setAccessibleName(tr("Keys"));
  setFocusPolicy(Qt::StrongFocus);
  over->installEventFilter(this);
  hide();
}

void KeysOverlay::open() {
  setGeometry(parentWidget()->rect());
  raise();
  show();
  setFocus();
}

bool KeysOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) setGeometry(parentWidget()->rect());
  return QWidget::eventFilter(watched, event);
}

void KeysOverlay::keyPressEvent(QKeyEvent*) {
  hide();
}

void KeysOverlay::mousePressEvent(QMouseEvent*) {
  hide();
}

void KeysOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& p = palette_of(application_theme());
  QColor veil(p.ink);
  if (application_theme() == Theme::dark) veil = QColor(p.halo);
  veil.setAlphaF(0.45F);
  painter.fillRect(rect(), veil);
  const std::vector<Line> all = lines();
  constexpr int columns = 3, pad = 24, head = 30, keys_wide = 104;
  const int in_column = (static_cast<int>(all.size()) + columns - 1) / columns;
  const int column = std::clamp((width() - 16 - pad) / columns, 220, 450);
  // Two lines for long words, where the window is narrow and high enough.
  const QFontMetrics words_metrics(ui_font(12));
  const int room = column - pad - keys_wide;
  const bool narrow = std::any_of(all.begin(), all.end(), [&](const Line& line) {
    return !line.keys.isEmpty() && words_metrics.horizontalAdvance(line.words) > room;
  });
  const int row = std::clamp((height() - 16 - 2 * pad - head) / in_column, 16, narrow ? 29 : 22);
  const int high = in_column * row + 2 * pad + head;
  const int wide = columns * column + pad;
  const QRectF card((width() - wide) / 2.0, (height() - high) / 2.0, wide, high);
  painter.setPen(QColor(p.rule));
  painter.setBrush(QColor(p.panel));
  painter.drawRoundedRect(card, 6, 6);
  painter.setPen(QColor(p.ink));
  painter.setFont(ui_font(15, true));
  painter.drawText(card.adjusted(pad, 14, -pad, 0), Qt::AlignLeft | Qt::AlignTop, tr("Keys"));
  painter.setFont(ui_font(12));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(card.adjusted(pad, 16, -pad, 0), Qt::AlignRight | Qt::AlignTop,
                   tr("any key closes this"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int c = static_cast<int>(i) / in_column, r = static_cast<int>(i) % in_column;
    const QRectF box(card.left() + pad + c * column, card.top() + pad + 24 + r * row, column - pad,
                     row);
    if (all[i].keys.isEmpty()) {
      painter.setFont(ui_font(12.5, true));
      painter.setPen(QColor(p.ink_2));
      painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, all[i].words);
      continue;
    }
    painter.setFont(ui_font(11.5));
    const double cap = QFontMetrics(painter.font()).horizontalAdvance(all[i].keys) + 14;
    painter.setPen(QColor(p.field_border));
    painter.setBrush(QColor(p.header));
    const double cap_high = std::min(row - 4, 18);
    const QRectF key(box.left(), box.center().y() - cap_high / 2, cap, cap_high);
    painter.drawRoundedRect(key, 3, 3);
    painter.setPen(QColor(p.ink));
    painter.drawText(key, Qt::AlignCenter, all[i].keys);
    painter.setPen(QColor(p.ink_2));
    const QRectF words = box.adjusted(std::max<double>(keys_wide, cap + 8), 0, 0, 0);
    const int words_room = static_cast<int>(words.width());
    painter.setFont(fitting_font(all[i].words, words_room, 12));
    const QFontMetrics metrics(painter.font());
    if (row >= 2 * metrics.height() - 2)
      painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, all[i].words);
    else
      painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(all[i].words, Qt::ElideRight, words_room));
  }
}

}  // namespace vacancy::gui

#include "moc_keys_overlay.cpp"
