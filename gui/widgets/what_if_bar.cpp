// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/what_if_bar.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "gui/paint/icons.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {

WhatIfBar::WhatIfBar(QWidget* parent) : QFrame(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(36, 6, 8, 6);
  row->setSpacing(8);
  setMinimumWidth(240);
  choice_ = new QComboBox(this);
  choice_->setAccessibleName(tr("Way to reclaim"));
  sentence_ = new QLabel(this);
  sentence_->setWordWrap(true);
  apply_ = new QPushButton(tr("Apply"), this);
  apply_->setToolTip(
      tr("Run the scenario again, reclaim this way from here on, and show it beside this run"));
  auto* hide_it = new QPushButton(tr("Hide"), this);
  row->addWidget(choice_);
  row->addWidget(sentence_, 1);
  row->addWidget(apply_);
  row->addWidget(hide_it);
  connect(choice_, &QComboBox::currentIndexChanged, this, &WhatIfBar::show_chosen);
  connect(apply_, &QPushButton::clicked, this, [this] {
    const int i = choice_->currentIndex();
    if (i >= 0) Q_EMIT applied(text_of(previews_[static_cast<std::size_t>(i)].reclaimer));
  });
  connect(hide_it, &QPushButton::clicked, this, &WhatIfBar::withdraw);
  hide();
}

void WhatIfBar::set_previews(std::vector<ReclaimPreview> previews, const QString& why_none) {
  const QString before = choice_->currentText();
  previews_ = std::move(previews);
  const QSignalBlocker quiet(choice_);
  choice_->clear();
  for (const ReclaimPreview& p : previews_)
    choice_->addItem(text_of(p.reclaimer));
  choice_->setCurrentIndex(std::max(0, choice_->findText(before)));
  // At first the one that moves least for what it frees.
  if (before.isEmpty())
    choice_->setCurrentIndex(std::max(0, choice_->findText(QStringLiteral("fullest_blocks"))));
  choice_->setVisible(!previews_.empty());
  apply_->setVisible(!previews_.empty());
  if (previews_.empty()) sentence_->setText(why_none);
  show_chosen();
}

void WhatIfBar::withdraw() {
  previews_.clear();
  hide();
  Q_EMIT changed();
}

void WhatIfBar::show_chosen() {
  const int i = choice_->currentIndex();
  if (i >= 0 && static_cast<std::size_t>(i) < previews_.size()) {
    sentence_->setText(tr("Preview at the end of this step, not applied: %1")
                           .arg(text_of(previews_[static_cast<std::size_t>(i)].sentence)));
    setAccessibleName(sentence_->text());
  }
  Q_EMIT changed();
}

std::vector<MoveMark> WhatIfBar::moves() const {
  std::vector<MoveMark> result;
  const int i = choice_->currentIndex();
  if (i < 0 || static_cast<std::size_t>(i) >= previews_.size()) return result;
  for (const ReclaimPreview::Move& m : previews_[static_cast<std::size_t>(i)].moves)
    result.push_back({{m.from_block, m.from_offset}, {m.to_block, m.to_offset}});
  return result;
}

void WhatIfBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& p = palette_of(application_theme());
  painter.setPen(QColor(p.field_border));
  painter.setBrush(QColor(p.panel));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  draw_icon(painter, Icon::bolt, QRectF(11, height() / 2.0 - 8, 16, 16), QColor(p.accent));
}

}  // namespace vacancy::gui

#include "moc_what_if_bar.cpp"
