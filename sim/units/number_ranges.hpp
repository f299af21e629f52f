// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vacancy {

/// Numbers first..last, both included; ascending by first.
using NumberRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Reads "0-3,17,40-63", in any order. `place` is named in the UserError if the text is no such
/// list.
NumberRanges parse_number_ranges(std::string_view text, const std::string& place);

}  // namespace vacancy
