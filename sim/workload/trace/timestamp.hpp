// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vacancy {

/// Nanoseconds since 1970-01-01 00:00 UTC of "YYYY-MM-DD hh:mm:ss", with up to nine decimals of a
/// second, 'T' for the blank, and "Z" or "±hh:mm" at the end; without those, UTC. Years 1970 to
/// 2261. Nothing if the text is no such time.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

}  // namespace vacancy
