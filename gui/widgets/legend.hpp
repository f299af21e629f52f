// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/legend.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// What a map's colours mean, how many slots each class has and what share that is. Pointing at a
/// row or choosing it isolates the class.
class Legend final : public QWidget {
  Q_OBJECT

 public:
  static constexpr int least_height = 164;  // with all of its classes

  explicit Legend(QWidget* parent = nullptr);

  /// Slots by class, live … free, and blocks of the host with contents.
  void set_counts(const std::array<std::uint64_t, 7>& slot_counts, std::uint64_t host_blocks,
                  std::optional<std::uint64_t> disk_blocks = std::nullopt);
  const std::array<std::uint64_t, 7>& counts() const { return counts_; }
  void set_colouring(Colouring colouring);
  void set_sequence(std::uint32_t sequence);
  std::optional<BlockClass> isolated() const { return isolated_; }
  void clear_isolated();

 Q_SIGNALS:
  /// By pointer or choice; nothing: all classes in their colours.
  void isolate(std::optional<vacancy::gui::BlockClass> c);

 protected:
  QSize sizeHint() const override;
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  struct Row {
    QRect box;
    BlockClass c;
  };
  std::vector<Row> rows() const;
  void show(std::optional<BlockClass> c);
  /// Tiers besides the device.
  int tier_count() const;
  /// Where they end.
  int paint_tiers(QPainter& painter, int y) const;
  void paint_frames(QPainter& painter, int y) const;

  std::array<std::uint64_t, 7> counts_{};
  std::array<LegendRow, 7> texts_;  // of the counts
  std::uint64_t host_blocks_ = 0;
  std::optional<std::uint64_t> disk_blocks_;
  Colouring colouring_ = Colouring::state;
  std::uint32_t sequence_ = no_sequence;
  std::optional<BlockClass> isolated_, pointed_;
  int focus_ = 0;
};

}  // namespace vacancy::gui
