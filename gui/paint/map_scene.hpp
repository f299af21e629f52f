// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/paint/map_layout.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// What a cell's colour says.
enum class Colouring : std::uint8_t { state, sequence, tenant, references, age, precision, score };
std::string_view colouring_name(Colouring colouring);
/// What a run tells, in the order of choice: a window offers these, and a command line.
inline constexpr std::array offered_colourings = {
    Colouring::state, Colouring::sequence, Colouring::references, Colouring::age, Colouring::score};

/// The slots of one block, in order. What it returns lives until the next call.
using SlotReader = std::function<std::span<const SlotView>(std::uint32_t block)>;

/// All that a picture of the pool is a function of, besides the layout.
struct MapScene {
  PoolView pool;
  /// A pool without an end grows: blocks from this one on are not there yet, and their places
  /// empty.
  std::uint32_t blocks = UINT32_MAX;
  const Palette* palette = nullptr;
  Colouring colouring = Colouring::state;
  std::optional<BlockClass> isolated;    // the others fade
  std::uint32_t sequence = no_sequence;  // selected: the others fade where slots are drawn
  double strength = 1;                   // of all cells: below 1, what is no longer current
  SlotReader slots;                      // needed from L4 on
  std::function<std::uint32_t(std::uint32_t block)> logical;  // its place in its owner's table
  // By block, where the colouring asks for it; empty: not known.
  std::span<const std::uint32_t> tenants, bits;
  std::span<const float> scores;  // `unweighed`: nothing in the block was
};

/// Whom several blocks on one pixel show, the greater the more notable.
enum class Notable : std::uint8_t { free, cached_free, live, shared, half_holes, pinned };

inline Notable notable_of(std::uint8_t flags, std::uint16_t live, std::uint16_t fill,
                          std::uint32_t references, std::uint32_t block_size) {
  if ((flags & BlockFlag::held) == 0)
    return (flags & BlockFlag::cached) != 0 ? Notable::cached_free : Notable::free;
  if ((flags & BlockFlag::pinned) != 0) return Notable::pinned;
  if (static_cast<std::uint32_t>(fill - live) * 2 >= block_size) return Notable::half_holes;
  return references > 1 ? Notable::shared : Notable::live;
}

/// The class of a live slot of a held block.
inline BlockClass live_class_of(std::uint8_t flags, std::uint32_t references) {
  if ((flags & BlockFlag::pinned) != 0) return BlockClass::pinned;
  return references > 1 ? BlockClass::shared : BlockClass::live;
}

/// How high the kinds of slots stand in a cell: from below live, holes, tail. What is there gets at
/// least a pixel, as far as pixels go.
struct CellHeights {
  int live = 0, hole = 0, tail = 0;
};
CellHeights cell_heights(int height, std::uint32_t live, std::uint32_t holes, std::uint32_t tail);

/// "1 cell = 1 block of 16 slots · height = share of slots · a row = 64 blocks": what is drawn and
/// what is left out, for the header above a map. `blocks`: those that are there now; a growing
/// pool's layout has places for more. `isolated`: the class that alone is in colour.
std::vector<std::string> map_caption(const MapLayout& layout, std::uint32_t blocks,
                                     std::uint32_t block_size, std::optional<BlockClass> isolated);

}  // namespace vacancy::gui
