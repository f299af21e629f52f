// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string_view>

#include "sim/study/block_map.hpp"

namespace vacancy {

struct MapStyle {
  std::size_t columns = 100;
  bool color = false;
};

/// Draws a block map: a title, a character for each block (or for each run of so many blocks that
/// the map has at most `most_map_rows` rows), and how many blocks are what.
///
/// A character's height is the share of its slots that are live. Bars stand for blocks without
/// holes, dots (Braille) for blocks with holes; letters mark shared blocks. Color tells the owner.
void draw_map(std::ostream& out, const BlockSnapshot& snapshot, std::string_view title,
              const MapStyle& style);

/// What the characters mean.
void draw_map_key(std::ostream& out, const MapStyle& style);

inline constexpr std::size_t most_map_rows = 24;

}  // namespace vacancy
