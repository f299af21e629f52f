// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "sim/lesson/player.hpp"

namespace vacancy::gui {

/// Answer and truth on one axis, with the gap between them; before the lock the answer alone.
class AnswerAxis final : public QWidget {
  Q_OBJECT

 public:
  explicit AnswerAxis(QWidget* parent = nullptr);

  void set_question(const QuestionPage& question);
  void set_answer(std::optional<double> answer);
  /// `page` may be told; nullptr: not yet.
  void set_reveal(const RevealPage* page);
  QSize sizeHint() const override { return {600, 116}; }
  QSize minimumSizeHint() const override { return {240, 116}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void describe();

  QuestionPage question_;
  std::optional<double> answer_, truth_;
  std::vector<MarkPage> marks_;
};

/// Blocks by the number of their live slots, those that came back apart; dots where a law has them.
class LiveSlotsChart final : public QWidget {
  Q_OBJECT

 public:
  explicit LiveSlotsChart(QWidget* parent = nullptr);

  /// `law`: of as many, or empty.
  void set_counts(std::vector<std::uint64_t> counts, std::vector<double> law = {});
  QSize sizeHint() const override { return {600, 240}; }
  QSize minimumSizeHint() const override { return {240, 140}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<double> law_;
};

/// A figure over a setting: the simulation as dots, the law as a line. Left and right go along it.
class CurveChart final : public QWidget {
  Q_OBJECT

 public:
  explicit CurveChart(QWidget* parent = nullptr);

  /// `point` is where it begins.
  void set_curve(CurvePage curve, std::size_t point);
  std::size_t point() const { return point_; }
  QSize sizeHint() const override { return {600, 240}; }
  QSize minimumSizeHint() const override { return {240, 178}; }

 Q_SIGNALS:
  void point_chosen(std::size_t point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void choose(std::size_t point);
  void describe();
  double x_of(std::size_t point) const;

  CurvePage curve_;
  std::size_t point_ = 0;
};

/// What stands where a chart will be: nothing of it is known here.
class HiddenChart final : public QWidget {
  Q_OBJECT

 public:
  explicit HiddenChart(QWidget* parent = nullptr);
  QSize sizeHint() const override { return {600, 240}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace vacancy::gui
