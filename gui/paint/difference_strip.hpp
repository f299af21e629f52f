// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QRect>

#include "gui/model/two_runs.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// All blocks in a row; of several on a device pixel the most frequent kind.
void paint_difference_strip(QPainter& painter, const QRect& area, const PoolDifference& pools,
                            const Palette& palette, double scale);

}  // namespace vacancy::gui
