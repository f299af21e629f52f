// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "gui/model/two_runs.hpp"

namespace vacancy::gui {

/// The figures of two runs at one time, side by side. Tints tell size and side of a difference, and
/// no verdict. Above, where the runs part.
class CompareFigures final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareFigures(QWidget* parent = nullptr);

  void show_rows(std::vector<FigureRow> rows, const QString& moment);
  /// Empty: not known yet. `where`: there is one to go to.
  void set_divergence(const QString& title, const QString& sentence, bool where = false);

 Q_SIGNALS:
  /// Somebody wants to see where the runs part.
  void divergence_wanted();

 protected:
  QSize sizeHint() const override { return {344, 640}; }
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void changeEvent(QEvent*) override;

 private:
  QString way_there() const;

  std::vector<FigureRow> rows_;
  bool has_divergence_ = false;
  QRect divergence_box_;
  QString moment_, divergence_title_, divergence_;
};

}  // namespace vacancy::gui
