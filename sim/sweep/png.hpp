// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace vacancy {

/// An SVG drawing as a PNG of twice its size. Nothing where this program was built without librsvg,
/// or where a side would have more than 32,767 pixels, as many as cairo draws.
std::optional<std::string> png_of_svg(const std::string& svg);

}  // namespace vacancy
