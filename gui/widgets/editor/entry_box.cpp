// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/editor/entry_box.hpp"

#include <QCompleter>
#include <QLineEdit>
#include <QPalette>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gui/model/form/field_entry.hpp"

namespace vacancy::gui {

namespace {

constexpr int unit_gap = 6, text_margin = 4;

/// Saturates, so that steps at the ends of 64 bits stay there.
std::int64_t added(std::int64_t value, std::int64_t step) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(value, step, &sum)) return sum;
  return step > 0 ? std::numeric_limits<std::int64_t>::max()
                  : std::numeric_limits<std::int64_t>::min();
}

std::int64_t clamped(std::int64_t value, const Parameter& parameter) {
  constexpr double beyond = 9e18;
  if (parameter.minimum && *parameter.minimum > -beyond)
    value = std::max(value, static_cast<std::int64_t>(*parameter.minimum));
  if (parameter.maximum && *parameter.maximum < beyond)
    value = std::min(value, static_cast<std::int64_t>(*parameter.maximum));
  return value;
}

}  // namespace

EntryBox::EntryBox(const SchemaKey& key, QWidget* parent)
    : QAbstractSpinBox(parent), key_(key), unit_(new QLabel(lineEdit())) {
  unit_->setText(QString::fromStdString(key.parameter.unit));
  unit_->setAttribute(Qt::WA_TransparentForMouseEvents);
  unit_->setForegroundRole(QPalette::PlaceholderText);
  QStringList words;
  for (const std::string& word : key.parameter.choices)
    words << QString::fromStdString(word);
  if (!words.isEmpty()) lineEdit()->setCompleter(new QCompleter(words, this));
  connect(lineEdit(), &QLineEdit::textEdited, this, &EntryBox::entry_edited);
  connect(lineEdit(), &QLineEdit::textChanged, this, &EntryBox::place_unit);
  place_unit();
}

void EntryBox::set_entry(const QString& entry) {
  if (entry != lineEdit()->text()) lineEdit()->setText(entry);
}

void EntryBox::set_default(const QString& entry) {
  lineEdit()->setPlaceholderText(entry);
  place_unit();
}

QSize EntryBox::sizeHint() const {
  return {fontMetrics().horizontalAdvance(QStringLiteral("0,000,000 tokens")) + 32,
          QAbstractSpinBox::minimumSizeHint().height()};
}

void EntryBox::resizeEvent(QResizeEvent* event) {
  QAbstractSpinBox::resizeEvent(event);
  place_unit();
}

void EntryBox::place_unit() {
  const QString shown = entry().isEmpty() ? lineEdit()->placeholderText() : entry();
  const int at = text_margin + fontMetrics().horizontalAdvance(shown) + unit_gap;
  unit_->adjustSize();
  unit_->move(at, (lineEdit()->height() - unit_->height()) / 2);
  unit_->setVisible(at + unit_->width() <= lineEdit()->width());
}

QAbstractSpinBox::StepEnabled EntryBox::stepEnabled() const {
  const ParameterType type = key_.parameter.type;
  const bool number = type == ParameterType::integer || type == ParameterType::number;
  return number ? StepUpEnabled | StepDownEnabled : StepEnabled(StepNone);
}

void EntryBox::stepBy(int steps) {
  const Parameter& parameter = key_.parameter;
  const QString shown = entry().isEmpty() ? lineEdit()->placeholderText() : entry();
  const std::string typed = without_groups(shown.toStdString());
  const QString text = QString::fromStdString(typed);
  bool known = false;
  QString next;
  if (parameter.type == ParameterType::integer) {
    const std::int64_t value = text.toLongLong(&known);
    const std::int64_t from = known ? value : 0;
    next = QString::fromStdString(
        entry_of(ParameterValue(clamped(added(from, known ? steps : 0), parameter))));
  } else {
    const double width = parameter.maximum.value_or(100) - parameter.minimum.value_or(0);
    const double step = width <= 1 ? 0.01 : width <= 10 ? 0.1 : 1;
    const double value = text.toDouble(&known) + steps * step;
    const double neat = std::round(value * 1e6) / 1e6;
    next = QString::fromStdString(entry_of(ParameterValue(
        std::clamp(neat, parameter.minimum.value_or(neat), parameter.maximum.value_or(neat)))));
  }
  if (next == entry()) return;
  lineEdit()->setText(next);
  Q_EMIT entry_edited(next);
}

}  // namespace vacancy::gui

#include "moc_entry_box.cpp"
