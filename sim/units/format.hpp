// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/units/units.hpp"

namespace vacancy {

// Text for people. Independent of the locale: a decimal point, commas between thousands, a space
// before the unit. Results for machines are written by the metrics writers.

/// "2,048"
std::string format_count(std::uint64_t count);

/// Fixed decimals with thousands separated: "7,074.35". Not-a-number and infinities are spelled
/// "nan", "inf", "-inf".
std::string format_decimal(double value, int decimals);

/// A ratio as percent: 0.1179 with one decimal gives "11.8 %".
std::string format_percent(double ratio, int decimals = 1);

/// Binary units, at most two decimals: "544 MiB", "68.63 KiB", "40 B".
std::string format_bytes(Bytes bytes);

/// "126 µs", "3.495 ms", "2.5 s", "1 min 30 s", "2 h 5 min": up to three decimals below a minute.
std::string format_duration(SimTime time);

/// A size as a user writes it: a decimal number, then an optional unit, decimal (kB, MB, GB, TB,
/// PB) or binary (KiB … PiB), in any case, blanks allowed between. Without a unit: bytes. A
/// fraction of a byte is dropped. Throws UserError if the text is no size or exceeds 2^64 - 1.
Bytes parse_bytes(std::string_view text);

}  // namespace vacancy
