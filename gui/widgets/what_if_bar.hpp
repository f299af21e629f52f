// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "gui/model/what_if.hpp"
#include "gui/paint/map_marks.hpp"

namespace vacancy::gui {

/// What each way to reclaim would do to the selected sequence now. A preview: nothing is changed.
class WhatIfBar final : public QFrame {
  Q_OBJECT

 public:
  explicit WhatIfBar(QWidget* parent = nullptr);

  /// Empty: there is nothing to preview, and why.
  void set_previews(std::vector<ReclaimPreview> previews, const QString& why_none);
  /// There is nothing to preview any more: the bar goes, and its moves.
  void withdraw();
  /// Moves of the chosen preview.
  std::vector<MoveMark> moves() const;

 Q_SIGNALS:
  /// Another preview is chosen, or none is left.
  void changed();
  /// Run the scenario beside the present run, with this reclaimer from here on.
  void applied(const QString& reclaimer);

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  void show_chosen();

  std::vector<ReclaimPreview> previews_;
  QComboBox* choice_;
  QLabel* sentence_;
  QPushButton* apply_;
};

}  // namespace vacancy::gui
