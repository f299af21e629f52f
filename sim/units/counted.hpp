// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/units/format.hpp"

namespace vacancy {

/// "1 block", "2,048 blocks".
inline std::string counted(std::uint64_t count, const std::string& noun) {
  return format_count(count) + ' ' + noun + (count == 1 ? "" : "s");
}

}  // namespace vacancy
