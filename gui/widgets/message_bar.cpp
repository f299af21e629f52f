// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/message_bar.hpp"

#include <QPainter>
#include <QToolButton>

#include "gui/paint/fonts.hpp"
#include "gui/paint/icons.hpp"

namespace vacancy::gui {

MessageBar::MessageBar(QWidget* parent) : QWidget(parent) {
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(44, 10, 10, 10);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(4);
  title_ = new QLabel(this);
  title_->setWordWrap(true);
  title_->setFont(ui_font(13, true));
  title_->setTextFormat(Qt::PlainText);
  lines_ = new QLabel(this);
  lines_->setWordWrap(true);
  lines_->setTextFormat(Qt::PlainText);
  lines_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  ways_ = new QHBoxLayout;
  ways_->setSpacing(12);
  texts->addWidget(title_);
  texts->addWidget(lines_);
  texts->addLayout(ways_);
  outer->addLayout(texts, 1);
  auto* close = new QToolButton(this);
  close->setIcon(make_icon(Icon::close));
  close->setAccessibleName(tr("Close the message"));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  outer->addWidget(close, 0, Qt::AlignTop);
  hide();
}

void MessageBar::show_message(Kind kind, const QString& title, const QStringList& lines,
                              std::vector<Way> ways) {
  kind_ = kind;
  title_->setText(title);
  constexpr qsizetype most = 8;
  QStringList shown = lines.mid(0, most);
  if (lines.size() > most) shown.append(tr("… and %1 more").arg(lines.size() - most));
  lines_->setText(shown.join('\n'));
  lines_->setVisible(!lines.isEmpty());
  while (QLayoutItem* item = ways_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (auto& [name, act] : ways) {
    auto* way = new QPushButton(name, this);
    way->setProperty("link", true);
    way->setCursor(Qt::PointingHandCursor);
    connect(way, &QPushButton::clicked, this, std::move(act));
    ways_->addWidget(way);
  }
  ways_->addStretch(1);
  setAccessibleName(title);
  setAccessibleDescription(lines.join(' '));
  show();
  update();
}

void MessageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  const QRgb ink = kind_ == Kind::error ? p.error : kind_ == Kind::warning ? p.warning : p.accent;
  const QRgb tint = kind_ == Kind::error     ? p.error_tint
                    : kind_ == Kind::warning ? p.warning_tint
                                             : p.accent_tint;
  painter.fillRect(rect(), QColor(tint));
  painter.fillRect(0, 0, 4, height(), QColor(ink));
  draw_icon(painter,
            kind_ == Kind::error     ? Icon::error
            : kind_ == Kind::warning ? Icon::warning
                                     : Icon::bolt,
            QRectF(16, 11, 16, 16), QColor(ink));
}

}  // namespace vacancy::gui

#include "moc_message_bar.cpp"
