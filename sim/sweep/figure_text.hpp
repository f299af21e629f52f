// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/sweep/results.hpp"

namespace vacancy {

/// A number with four digits that count, and commas: "0.1402", "12,031", "1.234e-07".
std::string short_number(double value);

/// A figure for people: mean, and the deviation behind ±; shares in percent, bytes in binary units.
/// "–" where there is none.
std::string figure_text(const Spread& spread, std::string_view unit);

/// The same without a deviation.
std::string value_text(double value, std::string_view unit);

/// "memory.kv_peak_blocks (blocks)"; without the unit where the cells have it.
std::string heading_of(const Figure& figure);

}  // namespace vacancy
