// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSet>
#include <QStringList>
#include <QWidget>

namespace vacancy::test {

/// Whatever a widget and all in it say to eyes, pointers and screen readers, hidden parts too: what
/// is hidden can be read by a tool.
inline QStringList texts_of(const QWidget& root) {
  QStringList texts;
  auto all = root.findChildren<QWidget*>();
  all << const_cast<QWidget*>(&root);
  for (const QWidget* each : all) {
    texts << each->toolTip() << each->statusTip() << each->whatsThis() << each->accessibleName()
          << each->accessibleDescription() << each->windowTitle();
    if (const auto* label = qobject_cast<const QLabel*>(each)) texts << label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(each)) texts << button->text();
    if (const auto* line = qobject_cast<const QLineEdit*>(each)) texts << line->text();
    if (const auto* box = qobject_cast<const QAbstractSpinBox*>(each)) texts << box->text();
  }
  texts.removeAll(QString());
  texts.sort();
  return texts;
}

}  // namespace vacancy::test
