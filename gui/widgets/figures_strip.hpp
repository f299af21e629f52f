// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace vacancy::gui {

/// A key figure: what, how much, and of what.
struct Figure {
  QString name, value, note, explanation;
  std::optional<double> bar;  // a share, drawn below
};

/// The key figures of the moment, side by side; the last ones go where there is no room.
class FiguresStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit FiguresStrip(QWidget* parent = nullptr);

  void set_figures(std::vector<Figure> figures);
  const std::vector<Figure>& figures() const { return figures_; }

 protected:
  QSize sizeHint() const override { return {800, 64}; }
  void paintEvent(QPaintEvent*) override;
  void changeEvent(QEvent*) override;
  bool event(QEvent*) override;

 private:
  /// How many are shown, each so wide.
  int shown() const;

  std::vector<Figure> figures_;
};

}  // namespace vacancy::gui
