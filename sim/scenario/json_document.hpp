// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// Limits that keep hostile input cheap; far above any scenario.
inline constexpr std::size_t max_json_bytes = 4u << 20;
inline constexpr std::size_t max_json_depth = 64;

/// The bytes of a file, or a UserError: missing, unreadable, a folder, too large.
std::string read_text_file(const std::filesystem::path& file);

/// Parses JSON (RFC 8259) with // and /* */ comments and an optional UTF-8 byte order mark.
/// Stricter than the standard: duplicate keys, control characters, integers beyond 64 bits and
/// numbers beyond double are faults. Places carry `origin`. Nothing is returned after a fault that
/// ends the reading; `faults` tells why. `pointer` is what stands before the pointers of faults.
std::optional<JsonNode> parse_json(std::string_view text, std::uint32_t origin, Diagnostics& faults,
                                   const std::string& pointer = "");

}  // namespace vacancy
