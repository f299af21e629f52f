// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QRect>
#include <array>
#include <cstdint>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// How a block id is in two runs at one time.
enum class BlockDifference : std::uint8_t { same, only_a, only_b, other_content };

/// "Other content": held in both, by another sequence or with other counts of slots.
BlockDifference difference_of(const PoolView& a, const PoolView& b, std::uint32_t block);

struct PoolDifference {
  std::vector<BlockDifference> blocks;   // by id, as many as the longer pool has
  std::array<std::uint64_t, 4> count{};  // by BlockDifference
  std::uint64_t differing() const { return count[1] + count[2] + count[3]; }
};
PoolDifference compare_pools(const PoolView& a, const PoolView& b);

/// All blocks in a row; of several on a device pixel the most frequent kind.
void paint_difference_strip(QPainter& painter, const QRect& area, const PoolDifference& difference,
                            const Palette& palette, double scale);

}  // namespace vacancy::gui
