// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDoubleSpinBox>
#include <QLabel>
#include <QSlider>
#include <QWidget>
#include <optional>

#include "sim/lesson/player.hpp"

namespace vacancy::gui {

/// A number to answer with: a box, and a slider where the question has one. Shares are in percent.
class AnswerField final : public QWidget {
  Q_OBJECT

 public:
  explicit AnswerField(const QuestionPage& question, QWidget* parent = nullptr);

  /// In the unit of the question; nothing until somebody has chosen one.
  std::optional<double> answer() const;
  void set_answer(double answer);

 Q_SIGNALS:
  void answer_changed();
  /// Enter in the box.
  void entered();

 private:
  double factor_;  // of what the box shows
  bool chosen_ = false;
  QDoubleSpinBox* box_;
  QSlider* slider_ = nullptr;
  QLabel* share_;
  double highest_;
};

}  // namespace vacancy::gui
