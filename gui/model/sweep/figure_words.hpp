// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/sweep/sweep.hpp"

namespace vacancy::gui {

/// A figure as people call it, from its key: "memory.hole_ratio.end" is "hole ratio, end". Its unit
/// is empty where the words have it.
Figure in_words(const Figure& figure);

}  // namespace vacancy::gui
