// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// What is known of one block at the moment.
struct BlockFacts {
  std::uint32_t block = 0;
  BlockClass kind = BlockClass::free;  // of its live slots, or of the whole
  std::uint32_t live = 0, holes = 0, tail = 0;
  std::vector<SlotView> slot_views;  // empty unless held
  std::vector<std::pair<QString, QString>> rows;
  QString why;                                       // what keeps it, or let it go
  std::vector<std::pair<QString, QString>> history;  // newest first: time, what happened
};

/// The block that the pointer is on, or the one that was chosen.
class Inspector final : public QWidget {
  Q_OBJECT

 public:
  explicit Inspector(QWidget* parent = nullptr);

  void set_block(std::optional<BlockFacts> facts);
  /// Whether there are blocks to point at.
  void set_blocks_known(bool known);
  const std::optional<BlockFacts>& facts() const { return facts_; }

 protected:
  QSize sizeHint() const override { return {312, 404}; }
  QSize minimumSizeHint() const override { return {240, 120}; }
  void paintEvent(QPaintEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  void draw_slots(QPainter& painter, const QRect& box) const;

  std::optional<BlockFacts> facts_;
  bool blocks_known_ = true;
};

}  // namespace vacancy::gui
