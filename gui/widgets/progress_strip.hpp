// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// How far a run is, with a way to end it that keeps what was recorded.
class ProgressStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit ProgressStrip(QWidget* parent = nullptr);
  void show_progress(const Recording& recording);

 Q_SIGNALS:
  void cancelled();

 private:
  QLabel *words_, *share_;
  QProgressBar* bar_;
};

}  // namespace vacancy::gui
