// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QRectF>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gui/paint/palette.hpp"
#include "sim/lesson/player.hpp"

namespace vacancy::gui {

/// Cells of a pool in a rectangle, row by row.
struct CellGrid {
  int pitch = 1, columns = 1, rows = 0;

  int height() const { return rows * pitch; }
  int gutter = 0;  // for the address of each row's first block

  QRectF cell(std::uint32_t block) const;
  std::optional<std::uint32_t> block_at(QPointF position, std::size_t blocks) const;
};

/// The largest whole cells of which so many fit; columns are a round number where there are many.
CellGrid grid_for(std::size_t blocks, QSize size, int gutter);

/// What the pool says in one sentence, for whoever cannot see the picture.
QString pool_text(const PoolState& state);

/// The pool alone, small, at twice its pixels.
QPixmap pool_thumbnail(const PoolState& state, QSize size);

/// Every block of a lesson's pool, its slots as heights, and a legend that adds up. Blocks can be
/// picked with the pointer or with arrow keys and the space bar.
class PoolPicture final : public QWidget {
  Q_OBJECT

 public:
  explicit PoolPicture(QWidget* parent = nullptr);

  void set_state(std::shared_ptr<const PoolState> state, std::vector<std::uint32_t> highlight);
  /// What stands below the number of free blocks; empty: neither does.
  void set_promise(const QString& words);
  /// Which block stands in each place of a table, drawn below the pool.
  void set_table(std::optional<TableState> table);
  /// Nothing can be picked unless `on`; what was picked is forgotten.
  void set_picking(bool on);
  std::vector<std::uint32_t> picked() const { return {picked_.begin(), picked_.end()}; }
  void set_picked(const std::vector<std::uint32_t>& blocks);

  QString caption() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {320, 160}; }

 Q_SIGNALS:
  void picked_changed();
  /// Enter, while blocks can be picked.
  void entered();
  /// caption() may be another.
  void laid_out();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  CellGrid grid() const;
  void toggle(std::uint32_t block);
  void describe();
  void paint_legend(QPainter& painter, const Palette& palette) const;
  void paint_table(QPainter& painter, const CellGrid& cells, const Palette& palette) const;

  std::shared_ptr<const PoolState> state_;
  std::vector<std::uint32_t> highlight_;
  std::optional<TableState> table_;
  QString promise_;
  std::set<std::uint32_t> picked_;
  std::uint32_t cursor_ = 0;
  bool picking_ = false;
};

}  // namespace vacancy::gui
