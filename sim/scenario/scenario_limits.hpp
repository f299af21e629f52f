// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace vacancy {

/// Blocks of a limited pool: the pool takes memory for each of them at the start.
inline constexpr std::uint32_t max_pool_blocks = 1u << 26;
/// Slots of a limited pool, for the same reason.
inline constexpr std::uint64_t max_pool_slots = 1u << 31;

/// The model of a scenario that names none and whose attention source has none.
inline constexpr std::string_view default_model = "qwen3-8b";

}  // namespace vacancy
