// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <cstdint>
#include <optional>
#include <span>

#include "gui/paint/map_layout.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// A slot: a block and a place in it.
struct SlotPlace {
  std::uint32_t block = 0, slot = 0;
};
struct MoveMark {
  SlotPlace from, to;
};

/// What is drawn over the cells: where pointer, keyboard and selection are, what changed, what
/// moves.
struct MapMarks {
  std::span<const std::uint32_t> sequence;  // blocks of the selected sequence
  std::span<const std::uint32_t> changed;   // by the step that was just made
  std::span<const std::uint32_t> selected;
  std::optional<std::uint32_t> hovered;
  std::optional<std::uint32_t> hovered_slot;  // in the hovered block
  std::optional<std::uint32_t> focus;         // the keyboard's
  std::span<const MoveMark> moves;
  std::uint32_t block_size = 16;
};

/// Above so many moves are not drawn as curves, but as boxes and a count.
inline constexpr std::size_t most_curves = 40;

/// In device pixels: the painter's transformation is that of an image of the layout's view.
void paint_marks(QPainter& painter, const MapLayout& layout, const MapMarks& marks,
                 const Palette& palette);

/// Row addresses, right-aligned into a strip `width` wide that begins at the view's upper left
/// corner.
void paint_addresses(QPainter& painter, const MapLayout& layout, int width, const Palette& palette);

}  // namespace vacancy::gui
