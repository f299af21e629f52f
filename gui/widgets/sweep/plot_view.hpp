// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "gui/model/sweep/sweep_plot.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// A plot on any painter: a mark a row, its Pareto front in steps, legends of marks. Equal points
/// nest, since sizes differ by colour.
void draw_sweep_plot(QPainter& painter, const QRectF& box, const SweepPlot& plot,
                     const Palette& palette, std::optional<std::size_t> current,
                     bool legend = true);
/// A dot's mark, as its plot has it.
void draw_sweep_mark(QPainter& painter, const PlotDot& dot, QPointF at, const Palette& palette);
/// The inside of its frame.
QRectF plot_inside(const QRectF& box);

/// The plot of a sweep's results. The pointer and the arrow keys go from point to point.
class PlotView final : public QWidget {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);

  void set_plot(const Sweep* sweep, std::shared_ptr<const SweepResults> results,
                const PlotChoice& choice, const HiddenValues& hidden);
  const SweepPlot& plot() const { return plot_; }
  /// Off where the plot beside it has the same one.
  void set_legend(bool on);
  /// Of a row; null if it has none here.
  const PlotDot* dot_of(std::size_t row) const;
  /// Rings the dot of a row; nothing: none.
  void set_current_row(std::optional<std::size_t> row);
  QSize sizeHint() const override { return {560, 380}; }
  QSize minimumSizeHint() const override { return {280, 200}; }

 Q_SIGNALS:
  void row_chosen(std::size_t row);
  /// Enter or a double click: the run behind the dot is wanted.
  void row_opened(std::size_t row);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::optional<std::size_t> dot_at_position(QPointF position) const;
  void choose(std::size_t dot);
  QString dot_text(std::size_t dot) const;
  /// Why there is no dot; empty where there are.
  QString absence() const;
  QString tip_at(QPointF position) const;

  const Sweep* sweep_ = nullptr;
  std::shared_ptr<const SweepResults> results_;
  SweepPlot plot_;
  std::optional<std::size_t> current_;  // a dot
  bool legend_ = true;
};

}  // namespace vacancy::gui
