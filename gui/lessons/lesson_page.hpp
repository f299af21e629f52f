// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWidget>

#include "gui/lessons/answer_field.hpp"
#include "gui/lessons/lesson_charts.hpp"
#include "gui/lessons/pool_picture.hpp"
#include "gui/lessons/step_dots.hpp"
#include "sim/lesson/player.hpp"

namespace vacancy::gui {

/// A lesson on the screen: text and question at the left, the pool, the answer and its chart at the
/// right. It shows the player's page and nothing else; before the lock no result is in any widget.
class LessonPage final : public QWidget {
  Q_OBJECT

 public:
  /// The player outlives it.
  /// After the `last` lesson comes the page with all of them.
  explicit LessonPage(LessonPlayer& player, bool last = false, QWidget* parent = nullptr);

  LessonPlayer& player() const { return player_; }
  /// What would be locked; for a test and for the keyboard.
  void set_answer(double answer);
  std::optional<LessonAnswer> answer() const;
  /// In words: "a whole number from 0 to 1,000 blocks".
  QString asked_for() const;
  void lock();
  void show_me();
  void next();
  void go_to(std::size_t step);
  /// To what the step asks for first: its answer, or the button onward.
  void take_focus();
  PoolPicture& picture() const { return *picture_; }

 Q_SIGNALS:
  void all_lessons_wanted();
  /// The lesson is done, and its reader wants the one after it.
  void next_lesson_wanted();
  /// The same lesson with another seed.
  void seed_wanted(quint64 seed);
  /// The step's scenario, to be opened in the main window.
  void free_play_wanted(const QString& scenario);
  void step_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void show_page();
  void show_text();
  void show_asking(QVBoxLayout& column, const QuestionPage& question);
  void show_reveal(QVBoxLayout& column, const RevealPage& reveal);
  void show_formula(QVBoxLayout& column, const FormulaPage& formula);
  void show_buttons(QVBoxLayout& column);
  void show_pictures();
  void answer_changed();
  void offer_lock();
  QList<QWidget*> controls() const;

  LessonPlayer& player_;
  bool last_;
  QLabel* heading_;
  StepDots* dots_;
  QLabel *steps_, *picture_title_, *picture_caption_, *axis_title_, *axis_caption_, *chart_title_,
      *chart_caption_;
  QPushButton *all_, *play_;
  QScrollArea* text_;
  PoolPicture* picture_;
  AnswerAxis* axis_;
  LiveSlotsChart* slots_chart_;
  CurveChart* curve_;
  HiddenChart* hidden_;
  AnswerField* field_ = nullptr;
  QPushButton* lock_ = nullptr;
  QWidget* first_ = nullptr;  // of the text or the pictures, to have the focus
};

}  // namespace vacancy::gui
