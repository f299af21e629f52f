// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// A survivor of one keep set goes to a slot of the same table that the set does not hold.
struct SlotMove {
  std::uint32_t source, target;

  bool operator==(const SlotMove&) const = default;
};
/// The moves of a table, set after set. Sources and targets of one set are all different, so they
/// need no order.
class TableMoves {
 public:
  /// Slots from here on are read and written (start of an entry). The table then ends behind its
  /// last live slot among them, or here.
  std::uint32_t first_slot = 0;

  /// Nothing was planned, not even for a set.
  bool empty() const { return ends_.empty(); }
  std::uint32_t sets() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::span<const SlotMove> all() const { return moves_; }
  std::span<const SlotMove> of(std::uint32_t set) const {
    const std::size_t begin = set == 0 ? 0 : ends_[set - 1];
    return std::span(moves_).subspan(begin, ends_[set] - begin);
  }

  void clear() {
    moves_.clear();
    ends_.clear();
  }
  /// A move of the set whose turn it is.
  void add(SlotMove move) { moves_.push_back(move); }
  /// The next set has its turn.
  void end_set() { ends_.push_back(moves_.size()); }

 private:
  std::vector<SlotMove> moves_;
  std::vector<std::size_t> ends_;
};

/// Why bytes are read and written to bring blocks back (spec policies §5).
enum class MoveCause { slide, fill_holes, fullest_blocks, copy_out };

template <>
struct EnumNames<MoveCause> {
  static constexpr EnumName<MoveCause> table[] = {{MoveCause::slide, "slide"},
                                                  {MoveCause::fill_holes, "fill_holes"},
                                                  {MoveCause::fullest_blocks, "fullest_blocks"},
                                                  {MoveCause::copy_out, "copy_out"}};
};

}  // namespace vacancy
