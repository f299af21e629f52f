// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <cstdint>

#include "gui/model/playback.hpp"

namespace vacancy::gui {

class CommandSet;

/// Start, back, play, on, end; step, speed, run until; the time.
class PlaybackBar final : public QWidget {
  Q_OBJECT

 public:
  explicit PlaybackBar(const CommandSet& commands, QWidget* parent = nullptr);

  StepUnit step_unit() const;
  /// Virtual seconds a second of the clock, on a logarithmic slider.
  double speed() const;
  void set_speed(double factor);
  void set_playing(bool playing);
  void set_time(std::int64_t time_ns, const QString& beside);

 Q_SIGNALS:
  void speed_changed(double factor);

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  void fit();
  QToolButton* button(QAction* action, bool primary = false);

  QAction* play_;
  QComboBox* unit_;
  QSlider* slider_;
  QLabel *speed_, *time_, *beside_, *step_name_, *speed_name_;
  QToolButton *play_button_, *until_;
};

}  // namespace vacancy::gui
