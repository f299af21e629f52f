// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/marks.hpp"
#include "gui/model/slot_classes.hpp"

namespace vacancy::gui {

class Replica;

/// What is selected, once for all views: they read it and write it, and hear of it.
class Selection : public QObject {
  Q_OBJECT

 public:
  explicit Selection(QObject* parent = nullptr) : QObject(parent) {}

  const std::optional<TimeRange>& time_range() const { return range_; }
  /// Ascending, each once.
  const std::vector<std::uint32_t>& blocks() const { return blocks_; }
  bool contains(std::uint32_t block) const;
  const std::optional<std::uint32_t>& sequence() const { return sequence_; }
  const std::optional<std::uint32_t>& tenant() const { return tenant_; }
  /// The class that the legend isolates.
  const std::optional<SlotClass>& isolated() const { return isolated_; }
  /// Under the pointer, while nothing is pinned by a click.
  const std::optional<std::uint32_t>& hovered_block() const { return hovered_; }

  void set_time_range(std::optional<TimeRange> range);
  void set_blocks(std::vector<std::uint32_t> blocks);
  void toggle_block(std::uint32_t block);
  void set_sequence(std::optional<std::uint32_t> sequence);
  void set_tenant(std::optional<std::uint32_t> tenant);
  void set_isolated(std::optional<SlotClass> slot_class);
  void set_hovered_block(std::optional<std::uint32_t> block);
  /// Everything but what the pointer is on.
  void clear();

 Q_SIGNALS:
  void changed();
  void hover_changed();

 private:
  template <class T>
  void set(T& own, T value);

  std::optional<TimeRange> range_;
  std::vector<std::uint32_t> blocks_;
  std::optional<std::uint32_t> sequence_, tenant_;
  std::optional<SlotClass> isolated_;
  std::optional<std::uint32_t> hovered_;
};

/// The first chosen block; of a sequence alone the first of its blocks.
std::optional<std::uint32_t> first_chosen(const Selection& selection, const Replica& now);

}  // namespace vacancy::gui
