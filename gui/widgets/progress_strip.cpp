// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/progress_strip.hpp"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "gui/widgets/text.hpp"

namespace vacancy::gui {

ProgressStrip::ProgressStrip(QWidget* parent) : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 6, 16, 6);
  auto* column = new QVBoxLayout;
  auto* texts = new QHBoxLayout;
  words_ = new QLabel(this);
  share_ = new QLabel(this);
  texts->addWidget(words_, 1);
  texts->addWidget(share_);
  column->addLayout(texts);
  bar_ = new QProgressBar(this);
  bar_->setTextVisible(false);
  bar_->setFixedHeight(6);
  column->addWidget(bar_);
  row->addLayout(column, 1);
  row->addSpacing(12);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setToolTip(tr("End the run; what was recorded so far stays"));
  connect(cancel, &QPushButton::clicked, this, &ProgressStrip::cancelled);
  row->addWidget(cancel);
}

void ProgressStrip::show_progress(const Recording& recording) {
  words_->setText(tr("Running: %1, %2. The picture is the newest snapshot.")
                      .arg(text_of(seconds(recording.end_ns())),
                           text_of(counted(recording.events(), "event"))));
  const std::uint64_t planned = recording.planned(), done = recording.done();
  bar_->setRange(0, planned == 0 ? 0 : 1000);
  if (planned > 0) {
    bar_->setValue(static_cast<int>(done * 1000 / planned));
    share_->setText(share_of(done, planned));
  } else {
    share_->setText(tr("%1 done").arg(grouped(done)));
  }
}

}  // namespace vacancy::gui

#include "moc_progress_strip.cpp"
