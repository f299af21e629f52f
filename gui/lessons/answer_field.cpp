// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/answer_field.hpp"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "gui/model/form/qt_text.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr int slider_steps = 1000;

}  // namespace

AnswerField::AnswerField(const QuestionPage& question, QWidget* parent)
    : QWidget(parent),
      factor_(question.unit == "share" ? 100 : 1),
      box_(new QDoubleSpinBox),
      share_(new QLabel),
      highest_(question.highest) {
  const bool share = question.unit == "share";
  box_->setDecimals(share ? 1 : 0);
  box_->setRange(0, highest_ * factor_);
  box_->setGroupSeparatorShown(true);
  box_->setLocale(QLocale::c());
  box_->setSuffix(share ? QStringLiteral(" %") : ' ' + qt(question.unit));
  box_->setMinimumHeight(36);
  box_->setMinimumWidth(150);
  box_->setKeyboardTracking(true);
  box_->setAccessibleName(qt(question.text));
  setFocusProxy(box_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  if (question.kind == QuestionKind::slider || share) {
    slider_ = new QSlider(Qt::Horizontal);
    slider_->setRange(0,
                      share || highest_ > slider_steps ? slider_steps : static_cast<int>(highest_));
    slider_->setTickPosition(QSlider::TicksBelow);
    slider_->setTickInterval(slider_->maximum() / 4);
    slider_->setAccessibleName(qt(question.text));
    column->addWidget(slider_);
    connect(slider_, &QSlider::valueChanged, this, [this](int at) {
      chosen_ = true;
      const double value = highest_ * factor_ * at / slider_->maximum();
      const QSignalBlocker block(box_);
      box_->setValue(value);
      share_->setText(tr("= %1 of all").arg(qt(format_percent(value / factor_ / highest_))));
      Q_EMIT answer_changed();
    });
  }
  auto* row = new QHBoxLayout;
  row->addWidget(box_);
  row->addWidget(share_, 1);
  column->addLayout(row);
  share_->setVisible(slider_ && !share);
  connect(box_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    chosen_ = true;
    if (slider_) {
      const QSignalBlocker block(slider_);
      slider_->setValue(
          static_cast<int>(std::lround(value / factor_ / highest_ * slider_->maximum())));
    }
    share_->setText(tr("= %1 of all").arg(qt(format_percent(value / factor_ / highest_))));
    Q_EMIT answer_changed();
  });
  // Zero is an answer too: whoever leaves the box as it is by Enter means it.
  connect(box_->findChild<QLineEdit*>(), &QLineEdit::returnPressed, this, [this] {
    if (!std::exchange(chosen_, true)) Q_EMIT answer_changed();
    Q_EMIT entered();
  });
}

std::optional<double> AnswerField::answer() const {
  if (!chosen_) return std::nullopt;
  return box_->value() / factor_;
}

void AnswerField::set_answer(double answer) {
  chosen_ = true;
  box_->setValue(answer * factor_);
  Q_EMIT answer_changed();
}

}  // namespace vacancy::gui

#include "moc_answer_field.cpp"
