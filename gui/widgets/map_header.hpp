// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>
#include <optional>
#include <vector>

#include "gui/paint/map_layout.hpp"
#include "gui/paint/map_scene.hpp"

namespace vacancy::gui {

class CommandSet;

/// Above a map: what a cell is, what is left out, what colour says, how large cells are.
class MapHeader final : public QWidget {
  Q_OBJECT

 public:
  explicit MapHeader(const CommandSet& commands, QWidget* parent = nullptr);

  /// `blocks`: those that are there now. `scores`: whose they are, where cells are coloured by
  /// them.
  void set_layout_of(const MapLayout& layout, std::uint32_t blocks, std::uint32_t block_size,
                     std::optional<BlockClass> isolated, const QString& scores);
  Colouring colouring() const;
  /// One of those that are offered.
  void set_colouring(Colouring colouring);

 Q_SIGNALS:
  void colouring_changed(vacancy::gui::Colouring colouring);
  void row_length_changed(std::uint32_t blocks);

 protected:
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  void show_caption();

  QLabel *title_, *caption_, *zoom_, *colour_name_;
  QComboBox *colour_, *row_;
  QStringList parts_;
};

}  // namespace vacancy::gui
