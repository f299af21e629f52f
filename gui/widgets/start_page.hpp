// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWidget>
#include <vector>

namespace vacancy::gui {

class CommandSet;

/// Something to open, with what is known of it.
struct StartItem {
  QString key;  // a path, or a lesson's number
  QString title, text, result;
  QPixmap picture;  // null: none before the first run
  bool done = false, next = false, missing = false;
};

/// A picture, a title, a line, and a way in; a card without words for its way is pressed itself.
class StartCard final : public QFrame {
  Q_OBJECT

 public:
  StartCard(StartItem item, const QString& way, QWidget* parent = nullptr);

 Q_SIGNALS:
  void chosen(const QString& key);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

 private:
  /// Words in as many lines as there may be, elided; below the last one.
  int draw_words(QPainter& painter, const QString& words, int top, int lines) const;

  StartItem item_;
  bool has_button_;
};

/// What to do first: open, make, drop, go on with what was open; lessons; examples.
class StartPage final : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(const CommandSet& commands, QWidget* parent = nullptr);

  void set_recent(const std::vector<StartItem>& items);
  void set_examples(const std::vector<StartItem>& items);
  void set_lessons(const std::vector<StartItem>& items);
  void set_dropping(bool over);
  void set_shown_at_start(bool shown);

 Q_SIGNALS:
  void open_path(const QString& path);
  void open_lesson(const QString& number);
  void shown_at_start(bool shown);

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  /// Cards stand in as many columns as the view has room for.
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent*) override;

 private:
  void lay_out_cards();
  /// Tab goes through what was made anew where it stands.
  void order_tabs();
  void colour_texts();

  QWidget* left_;
  std::vector<QPushButton*> buttons_, recent_rows_;
  QFrame* drop_;
  QVBoxLayout* recent_;
  QScrollArea* scroll_;
  QWidget* cards_;
  QLabel *lessons_title_, *lessons_note_, *examples_title_, *examples_note_;
  QGridLayout *lesson_grid_, *example_grid_;
  std::vector<StartCard*> lesson_cards_, example_cards_;
  QCheckBox* at_start_;
  int lesson_columns_ = 0, example_columns_ = 0;
};

}  // namespace vacancy::gui
