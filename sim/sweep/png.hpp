// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace vacancy {

/// An SVG drawing as a PNG of twice its size. Nothing where this program was built without librsvg.
std::optional<std::string> png_of_svg(const std::string& svg);

}  // namespace vacancy
