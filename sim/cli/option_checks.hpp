// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace vacancy {

/// Digits that fit into 64 bits and nothing else, as JSON writes an integer. By itself the library
/// takes -1 for 2^64 - 1, 010 for 8, and an empty text for 0.
CLI::Validator whole_number(std::uint64_t low = 0,
                            std::uint64_t high = std::numeric_limits<std::uint64_t>::max());

/// Refuses an empty text, such as a shell makes of an unset variable.
CLI::Validator not_empty();

}  // namespace vacancy
