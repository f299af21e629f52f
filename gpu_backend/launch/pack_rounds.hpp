// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy::gpu {

/// Packing in place, order kept, in rounds that are parallel over rows: in each round no row that
/// is read is written, so that it is a MoveRows.
struct PackRounds {
  /// bounds[round * lists + i]: where list i's moves of the round begin; the next round's begin is
  /// this one's end. One entry more than there are rounds. As MoveLists::begin, and end one
  /// further.
  std::vector<std::int32_t> bounds;
  std::vector<std::int32_t> longest;  // list of each round
  std::size_t lists = 0;

  std::size_t count() const { return longest.size(); }
};

/// Of lists as in PackRows (host memory here) that leave out rows which stay: target < source. A
/// round [m, e) ends before the first target that is not below source[m]: geometric where survivors
/// are spread evenly, 14 rounds for half of 32,768 rows.
PackRounds pack_rounds(std::span<const std::int32_t> begin, std::span<const std::int32_t> end,
                       std::span<const std::int32_t> source, std::span<const std::int32_t> target);

}  // namespace vacancy::gpu
