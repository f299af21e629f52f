// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/playback_bar.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <cmath>

#include "gui/paint/fonts.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int steps_a_decade = 10, decades = 3;

}  // namespace

PlaybackBar::PlaybackBar(const CommandSet& commands, QWidget* parent)
    : QWidget(parent), play_(commands["play"]) {
  setFixedHeight(40);
  setMinimumWidth(360);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(6);
  for (const char* id : {"first", "event_back"})
    row->addWidget(button(commands[id]));
  play_button_ = button(play_, true);
  row->addWidget(play_button_);
  for (const char* id : {"event_on", "last"})
    row->addWidget(button(commands[id]));
  row->addSpacing(10);
  step_name_ = new QLabel(tr("Step"), this);
  unit_ = new QComboBox(this);
  unit_->addItems({tr("event"), tr("iteration"), tr("reclaim")});
  unit_->setAccessibleName(tr("Step by"));
  unit_->setToolTip(tr("What F4 goes on to"));
  step_name_->setBuddy(unit_);
  row->addWidget(step_name_);
  row->addWidget(unit_);
  row->addSpacing(10);
  speed_name_ = new QLabel(tr("Speed"), this);
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setRange(-decades * steps_a_decade, decades * steps_a_decade);
  slider_->setTickPosition(QSlider::TicksBelow);
  slider_->setTickInterval(steps_a_decade);
  slider_->setFixedWidth(90);
  slider_->setAccessibleName(tr("Speed"));
  slider_->setToolTip(tr("Virtual time a second of the clock, logarithmic"));
  speed_ = new QLabel(this);
  speed_->setMinimumWidth(44);
  row->addWidget(speed_name_);
  row->addWidget(slider_);
  row->addWidget(speed_);
  row->addSpacing(6);
  until_ = new QToolButton(this);
  until_->setDefaultAction(commands["run_until"]);
  until_->setText(tr("Run until"));
  until_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  until_->setProperty("framed", true);
  row->addWidget(until_);
  row->addStretch(1);
  time_ = new QLabel(this);
  time_->setFont(ui_font(14, true));
  beside_ = new QLabel(this);
  beside_->setForegroundRole(QPalette::PlaceholderText);
  row->addWidget(time_);
  row->addSpacing(12);
  row->addWidget(beside_);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    speed_->setText(text_of(vacancy::gui::speed(speed())));
    Q_EMIT speed_changed(speed());
  });
  slider_->setValue(1);
  set_speed(1);
}

QToolButton* PlaybackBar::button(QAction* action, bool primary) {
  auto* b = new QToolButton(this);
  if (primary)  // its icon is not the menu's
    connect(b, &QToolButton::clicked, action, &QAction::trigger);
  else
    b->setDefaultAction(action);
  b->setIconSize({16, 16});
  b->setProperty(primary ? "primary" : "framed", true);
  b->setFixedSize(primary ? 40 : 30, 28);
  b->setAccessibleName(action->statusTip());
  if (primary) {
    b->setIcon(make_icon(Icon::play, true));
    b->setToolTip(action->toolTip());
  }
  return b;
}

StepUnit PlaybackBar::step_unit() const {
  return static_cast<StepUnit>(unit_->currentIndex());
}

double PlaybackBar::speed() const {
  // 1, 2, 5 a decade would be three steps; ten of them are even.
  const double exact = std::pow(10.0, slider_->value() / static_cast<double>(steps_a_decade));
  const double unit = std::pow(10.0, std::floor(std::log10(exact) + 1e-9) - 1);
  return std::round(exact / unit) * unit;
}

void PlaybackBar::set_speed(double factor) {
  slider_->setValue(static_cast<int>(std::lround(std::log10(factor) * steps_a_decade)));
}

void PlaybackBar::set_playing(bool playing) {
  play_button_->setIcon(make_icon(playing ? Icon::pause : Icon::play, true));
}

void PlaybackBar::set_time(std::int64_t time_ns, const QString& beside) {
  time_->setText(QStringLiteral("t = %1").arg(text_of(seconds(time_ns))));
  beside_->setText(beside);
  fit();
}

void PlaybackBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.header));
  painter.fillRect(0, 0, width(), 1, QColor(p.rule));
  painter.fillRect(0, height() - 1, width(), 1, QColor(p.rule));
}

void PlaybackBar::resizeEvent(QResizeEvent*) {
  fit();
}

/// The time is whole before all that has another way to it.
void PlaybackBar::fit() {
  QWidget* const can_go[] = {beside_, until_, speed_name_, step_name_};
  int needed = layout()->minimumSize().width();
  for (const QWidget* widget : can_go)
    if (widget->isHidden()) needed += widget->minimumSizeHint().width() + layout()->spacing();
  for (QWidget* widget : can_go) {
    const bool shown = needed <= width();
    if (!shown) needed -= widget->minimumSizeHint().width() + layout()->spacing();
    widget->setVisible(shown);
  }
}

}  // namespace vacancy::gui

#include "moc_playback_bar.cpp"
