// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy {

/// Tokens of a block in the Mooncake format, which does not state it.
inline constexpr std::uint32_t mooncake_block_size = 512;

}  // namespace vacancy
