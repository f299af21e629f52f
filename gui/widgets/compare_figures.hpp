// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// One figure of two runs.
struct CompareRow {
  QString name, a, b, difference;  // "same" where there is none
  double lean = 0;                 // −1 … 1: how much more A (below) or B has, of the larger
};
std::vector<CompareRow> compare_rows(const RunSession& a, const RunSession& b);

/// The figures of two runs at one time, side by side. Tints tell size and side of a difference, and
/// no verdict. Above, where the runs part.
class CompareFigures final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareFigures(QWidget* parent = nullptr);

  void show_rows(std::vector<CompareRow> rows, std::int64_t time_ns);
  /// Empty: not known yet.
  void set_divergence(const QString& title, const QString& sentence);

 protected:
  QSize sizeHint() const override { return {344, 640}; }
  void paintEvent(QPaintEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  std::vector<CompareRow> rows_;
  QString time_, divergence_title_, divergence_;
};

}  // namespace vacancy::gui
