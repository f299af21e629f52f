// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/paint/palette.hpp"

namespace vacancy::gui::test {

inline constexpr Theme themes[] = {Theme::light, Theme::dark};

}  // namespace vacancy::gui::test
