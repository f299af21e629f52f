// SPDX-License-Identifier: Apache-2.0
#include "gui/model/selection.hpp"

#include <algorithm>
#include <utility>

#include "gui/model/replica.hpp"

namespace vacancy::gui {

template <class T>
void Selection::set(T& own, T value) {
  if (own == value) return;
  own = std::move(value);
  Q_EMIT changed();
}

bool Selection::contains(std::uint32_t block) const {
  return std::binary_search(blocks_.begin(), blocks_.end(), block);
}

void Selection::set_time_range(std::optional<TimeRange> range) {
  set(range_, range);
}

void Selection::set_blocks(std::vector<std::uint32_t> blocks) {
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  set(blocks_, std::move(blocks));
}

void Selection::toggle_block(std::uint32_t block) {
  std::vector<std::uint32_t> blocks = blocks_;
  const auto place = std::lower_bound(blocks.begin(), blocks.end(), block);
  if (place != blocks.end() && *place == block)
    blocks.erase(place);
  else
    blocks.insert(place, block);
  set(blocks_, std::move(blocks));
}

void Selection::set_sequence(std::optional<std::uint32_t> sequence) {
  set(sequence_, sequence);
}

void Selection::set_tenant(std::optional<std::uint32_t> tenant) {
  set(tenant_, tenant);
}

void Selection::set_isolated(std::optional<SlotClass> slot_class) {
  set(isolated_, slot_class);
}

void Selection::set_hovered_block(std::optional<std::uint32_t> block) {
  if (hovered_ == block) return;
  hovered_ = block;
  Q_EMIT hover_changed();
}

void Selection::clear() {
  const bool nothing = !range_ && blocks_.empty() && !sequence_ && !tenant_ && !isolated_;
  if (nothing) return;
  range_.reset();
  blocks_.clear();
  sequence_.reset();
  tenant_.reset();
  isolated_.reset();
  Q_EMIT changed();
}

std::optional<std::uint32_t> first_chosen(const Selection& selection, const Replica& now) {
  if (!selection.blocks().empty()) return selection.blocks().front();
  if (!selection.sequence()) return std::nullopt;
  const std::vector<std::uint32_t> blocks = now.blocks_of(*selection.sequence());
  return blocks.empty() ? std::nullopt : std::optional(blocks.front());
}

}  // namespace vacancy::gui

#include "moc_selection.cpp"
