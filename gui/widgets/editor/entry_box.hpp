// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractSpinBox>
#include <QLabel>
#include <QLineEdit>

#include "sim/scenario/schema.hpp"

namespace vacancy::gui {

/// A number, a word or a size with its unit, as text: 64-bit integers are exact, and what does not
/// fit is kept as typed, for the check to name. Steps stay in the key's range.
class EntryBox final : public QAbstractSpinBox {
  Q_OBJECT

 public:
  explicit EntryBox(const SchemaKey& key, QWidget* parent = nullptr);

  QString entry() const { return lineEdit()->text(); }
  /// Without entry_edited().
  void set_entry(const QString& entry);
  /// What steps begin at where the entry is empty, and what is shown then.
  void set_default(const QString& entry);

  void stepBy(int steps) override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void entry_edited(const QString& entry);

 protected:
  StepEnabled stepEnabled() const override;
  QValidator::State validate(QString&, int&) const override { return QValidator::Acceptable; }
  void resizeEvent(QResizeEvent* event) override;

 private:
  void place_unit();

  const SchemaKey& key_;
  QLabel* unit_;
};

}  // namespace vacancy::gui
