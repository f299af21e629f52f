// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

namespace vacancy::gui {

/// A circle for each step of a lesson: ticked where it was passed, with a core where one is.
class StepDots final : public QWidget {
  Q_OBJECT

 public:
  explicit StepDots(QWidget* parent = nullptr) : QWidget(parent) {}

  void set_steps(std::vector<bool> passed, std::size_t current);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<bool> passed_;
  std::size_t current_ = 0;
};

}  // namespace vacancy::gui
