// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/axis_cards.hpp"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"

namespace vacancy::gui {

namespace {

constexpr double name_size = 13, values_size = 11;
constexpr int side = 10, above = 7, spacing = 6, arrow = 24;

/// Stays open while values are ticked with the mouse or the space bar.
class ValueMenu final : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!tick(actionAt(event->position().toPoint()))) QMenu::mouseReleaseEvent(event);
  }
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Space || !tick(activeAction())) QMenu::keyPressEvent(event);
  }

 private:
  static bool tick(QAction* action) {
    if (action == nullptr || !action->isCheckable()) return false;
    action->trigger();
    return true;
  }
};

QAction* add_choice(QMenu& menu, QString text) {
  QAction* choice = menu.addAction(text.replace('&', QStringLiteral("&&")));
  choice->setCheckable(true);
  return choice;
}

}  // namespace

/// A name above its values; the whole card is a button.
class AxisCard final : public QPushButton {
 public:
  AxisCard(std::size_t axis, const QString& name, QWidget* parent)
      : QPushButton(parent), axis_(axis), name_(name), shown_(new QLabel) {
    setProperty("card", true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    setToolTip(
        tr("What is not ticked is left out of plots and table. The Pareto front stays that "
           "of all points."));
    auto* heading = new QLabel(name);
    heading->setFont(ui_font(name_size, true));
    shown_->setFont(ui_font(values_size));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(side, above, arrow, above);
    column->setSpacing(2);
    for (QLabel* label : {heading, shown_}) {
      label->setTextFormat(Qt::PlainText);
      label->setWordWrap(true);
      label->setAttribute(Qt::WA_TransparentForMouseEvents);
      column->addWidget(label);
    }
    auto* menu = new ValueMenu(this);
    all_ = add_choice(*menu, tr("All"));
    menu->addSeparator();
    setMenu(menu);
  }

  std::size_t axis() const { return axis_; }
  const std::vector<std::string>& values() const { return values_; }

  /// New ones come after those that are there: a menu that is open stays as it is.
  void set_values(std::vector<std::string> values) {
    constexpr std::size_t most_choices = 200;
    for (std::size_t i = values_.size(); i < std::min(values.size(), most_choices); ++i)
      add_choice(*menu(), qt(values[i]))->setData(qt(values[i]));
    if (values.size() > most_choices && values_.size() <= most_choices)
      menu()->addAction(tr("… and more that All alone hides"))->setEnabled(false);
    values_ = std::move(values);
  }

  void show_hidden(const HiddenValues& hidden) {
    for (QAction* choice : menu()->actions())
      if (choice->data().isValid())
        choice->setChecked(!hidden.hides(axis_, choice->data().toString().toStdString()));
    const bool all = std::none_of(values_.begin(), values_.end(), [&](const std::string& value) {
      return hidden.hides(axis_, value);
    });
    all_->setChecked(all);
    const QString text =
        values_.empty() ? tr("no values yet") : qt(values_text(values_, hidden, axis_));
    shown_->setText(text);
    shown_->setForegroundRole(all ? QPalette::PlaceholderText : QPalette::WindowText);
    setAccessibleName(tr("Axis %1: %2").arg(name_, text));
  }

  QSize sizeHint() const override { return layout()->totalSizeHint(); }
  QSize minimumSizeHint() const override { return layout()->totalMinimumSize(); }

 private:
  std::size_t axis_;
  QString name_;
  QLabel* shown_;
  QAction* all_;
  std::vector<std::string> values_;
};

AxisCards::AxisCards(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(spacing);
}

void AxisCards::set_sweep(const Sweep* sweep) {
  qDeleteAll(cards_);
  cards_.clear();
  hidden_ = {};
  // setTabOrder() wants controls: the last one before the cards' place.
  QWidget* before = previousInFocusChain();
  while (before != this && before->focusPolicy() == Qt::NoFocus)
    before = before->previousInFocusChain();
  for (std::size_t axis = 0; sweep && axis < sweep->axes.size(); ++axis) {
    auto* card = new AxisCard(axis, qt(sweep->axes[axis]), this);
    connect(card->menu(), &QMenu::triggered, this,
            [this, axis](QAction* choice) { choose(axis, *choice); });
    layout()->addWidget(card);
    setTabOrder(before, card);
    before = card;
    cards_.push_back(card);
  }
}

void AxisCards::set_results(const Sweep& sweep, const SweepResults* results) {
  for (AxisCard* card : cards_) {
    card->set_values(values_of_axis(sweep, results, card->axis()));
    card->show_hidden(hidden_);
  }
}

/// The choice without a value is all of them.
void AxisCards::choose(std::size_t axis, const QAction& choice) {
  AxisCard& card = *cards_[axis];
  if (choice.data().isValid())
    hidden_.set_hidden(axis, choice.data().toString().toStdString(), !choice.isChecked());
  else
    for (const std::string& value : card.values())
      hidden_.set_hidden(axis, value, !choice.isChecked());
  card.show_hidden(hidden_);
  Q_EMIT hidden_changed();
}

}  // namespace vacancy::gui

#include "moc_axis_cards.cpp"
