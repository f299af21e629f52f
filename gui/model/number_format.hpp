// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vacancy::gui {

// Numbers as every view writes them, in UTF-8. The locale changes nothing. A no-break space stands
// before a unit, a true minus before what is negative.

/// "41,392", "−12"
std::string number(std::int64_t value);
/// "5.25" for (5.25, 2)
std::string decimal(double value, int decimals);
/// A ratio: "11.8 %"; "–" where it is not a number.
std::string percent(double ratio);
/// "1 block", "2,048 blocks"
std::string counted(std::uint64_t count, std::string_view noun);
/// "118 of 1,000 blocks"
std::string part_of(std::uint64_t part, std::uint64_t whole, std::string_view noun);
/// "352 – 367"; one number if both are the same.
std::string range(std::uint64_t first, std::uint64_t last);
/// Virtual time in seconds: "30.000 s"
std::string seconds(std::int64_t nanoseconds);
/// "2.5 GiB", "12.0 KiB", "40 B"
std::string bytes(std::uint64_t value);
/// "×10", "×0.5"
std::string speed(double factor);
/// "+4,017", "−1,040", "same" for 0
std::string difference(std::int64_t value);
std::string difference(double value, int decimals);
/// Of two ratios, in percentage points: "−43.2 pp"; "same" if it rounds to 0.
std::string difference_pp(double ratio);

}  // namespace vacancy::gui
