// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/map_header.hpp"

#include <QAbstractItemView>
#include <QEvent>
#include <QHBoxLayout>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QToolButton>

#include "gui/paint/fonts.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

/// What a run's events do not tell, and why.
struct Untold {
  Colouring colouring;
  const char* why;
};
constexpr Untold untold[] = {
    {Colouring::tenant, "A run's events do not say which tenant a sequence belongs to."},
    {Colouring::precision, "Every block of a run has the precision of its model."}};

}  // namespace

MapHeader::MapHeader(const CommandSet& commands, QWidget* parent) : QWidget(parent) {
  setFixedHeight(36);
  setMinimumWidth(360);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 2, 12, 2);
  row->setSpacing(6);
  title_ = new QLabel(tr("Blocks"), this);
  title_->setFont(ui_font(15, true));
  caption_ = new QLabel(this);
  caption_->setFont(ui_font(12));
  caption_->setMinimumWidth(20);
  caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(title_);
  row->addSpacing(6);
  row->addWidget(caption_, 1);
  row_ = new QComboBox(this);
  row_->addItem(tr("row: auto"), 0U);
  for (std::uint32_t length = 16; length <= 4096; length *= 2)
    row_->addItem(tr("row: %1").arg(length), length);
  row_->setToolTip(tr("Blocks a row: a power of two"));
  row_->setAccessibleName(tr("Blocks a row"));
  row->addWidget(row_);
  colour_name_ = new QLabel(tr("Colour by"), this);
  colour_ = new QComboBox(this);
  for (const Colouring c : offered_colourings)
    colour_->addItem(text_of(colouring_name(c)), static_cast<int>(c));
  colour_->setItemData(
      colour_->findData(static_cast<int>(Colouring::score)),
      tr("Of the chosen sequence's last round: the share of the others that scored less. Grey: not "
         "weighed, since it was protected or came later."),
      Qt::ToolTipRole);
  for (const auto& [colouring, why] : untold) {
    colour_->addItem(tr("%1: not recorded").arg(text_of(colouring_name(colouring))));
    auto* item = qobject_cast<QStandardItemModel*>(colour_->model())->item(colour_->count() - 1);
    item->setEnabled(false);
    item->setToolTip(tr(why));
  }
  colour_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  colour_->setMinimumContentsLength(8);
  colour_->view()->setMinimumWidth(200);
  colour_->setAccessibleName(tr("Colour by"));
  row->addWidget(colour_name_);
  row->addWidget(colour_);
  const auto button = [&](const char* id) {
    auto* b = new QToolButton(this);
    b->setDefaultAction(commands[id]);
    b->setProperty("framed", true);
    b->setFixedSize(26, 26);
    b->setAccessibleName(commands[id]->statusTip());
    row->addWidget(b);
  };
  button("zoom_out");
  zoom_ = new QLabel(this);
  zoom_->setFixedWidth(48);
  zoom_->setAlignment(Qt::AlignCenter);
  zoom_->setToolTip(tr("Pixels a cell"));
  row->addWidget(zoom_);
  button("zoom_in");
  button("fit");
  connect(colour_, &QComboBox::currentIndexChanged, this,
          [this] { Q_EMIT colouring_changed(colouring()); });
  connect(row_, &QComboBox::currentIndexChanged, this,
          [this] { Q_EMIT row_length_changed(row_->currentData().toUInt()); });
}

Colouring MapHeader::colouring() const {
  return static_cast<Colouring>(colour_->currentData().toInt());
}

void MapHeader::set_colouring(Colouring colouring) {
  colour_->setCurrentIndex(colour_->findData(static_cast<int>(colouring)));
}

void MapHeader::set_layout_of(const MapLayout& layout, std::uint32_t blocks,
                              std::uint32_t block_size, std::optional<BlockClass> isolated,
                              const QString& scores) {
  parts_.clear();
  if (layout.blocks() == 0) {
    zoom_->clear();
    return show_caption();
  }
  if (!scores.isEmpty()) parts_.append(scores);
  for (const std::string& part : map_caption(layout, blocks, block_size, isolated))
    parts_.append(text_of(part));
  const std::uint32_t per_cell = layout.zoom().blocks_per_cell;
  zoom_->setText(per_cell > 1 ? QStringLiteral("1/%1 px").arg(per_cell)
                              : QStringLiteral("%1 px").arg(layout.zoom().pitch));
  show_caption();
}

void MapHeader::show_caption() {
  const QString all = parts_.join(QStringLiteral(" · "));
  caption_->setFont(ui_font(12));
  QFontMetrics metrics(caption_->font());
  QString shown = all;
  // What height means goes first, which the legend beside shows, then what is seen, then what the
  // addresses tell.
  QStringList left = parts_;
  for (const char* part : {"^(?!height)", "^(?!slots in)", "^(?!a row)"}) {
    if (metrics.horizontalAdvance(shown) <= caption_->width()) break;
    left = left.filter(QRegularExpression(QLatin1String(part)));
    shown = left.join(QStringLiteral(" · "));
  }
  caption_->setFont(fitting_font(shown, caption_->width(), 12));
  metrics = QFontMetrics(caption_->font());
  caption_->setText(metrics.elidedText(shown, Qt::ElideRight, caption_->width()));
  caption_->setToolTip(all);
}

void MapHeader::resizeEvent(QResizeEvent*) {
  row_->setVisible(width() > 760);
  colour_name_->setVisible(width() > 760);  // its choices have it as their name
  show_caption();
}

void MapHeader::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) show_caption();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_map_header.cpp"
