// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "gui/model/sweep/axis_values.hpp"

class QAction;

namespace vacancy::gui {

class AxisCard;

/// The axes of a sweep, a card each with its values. A card's menu hides values.
class AxisCards final : public QWidget {
  Q_OBJECT

 public:
  explicit AxisCards(QWidget* parent = nullptr);

  /// The cards of a sweep that was opened, null for none; nothing is hidden any more.
  void set_sweep(const Sweep* sweep);
  /// Values that came with new results, null for none, are seen.
  void set_results(const Sweep& sweep, const SweepResults* results);
  const HiddenValues& hidden() const { return hidden_; }

 Q_SIGNALS:
  void hidden_changed();

 private:
  void choose(std::size_t axis, const QAction& choice);

  std::vector<AxisCard*> cards_;
  HiddenValues hidden_;
};

}  // namespace vacancy::gui
