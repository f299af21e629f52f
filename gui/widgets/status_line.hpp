// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vacancy::gui {

/// What happens next and what happened last, in a sentence each; at the right how far the run is.
class StatusLine final : public QWidget {
  Q_OBJECT

 public:
  explicit StatusLine(QWidget* parent = nullptr);

  void set_sentences(const QString& next, const QString& last);
  /// Instead of both.
  void set_note(const QString& note);
  void set_position(const QString& text);
  QString text() const;

 protected:
  QSize sizeHint() const override { return {600, 28}; }
  void paintEvent(QPaintEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  QString next_, last_, note_, position_;
};

}  // namespace vacancy::gui
