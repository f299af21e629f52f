// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vacancy {

// The words of messages about a field, the same for JSON and CSV.

/// "an integer from 0 to 1000"
std::string integer_expectation(std::uint64_t maximum);
/// "a number of seconds, not negative, below 292 years"; the unit is 10^power ns.
std::string time_expectation(int power);
/// "expected …, got …; correct or remove the line."
std::string unexpected(std::string_view expected, std::string_view found);
/// "has 3 ids, but input_length 5 needs 5; …": a list whose length disagrees with a count.
std::string count_mismatch(std::string_view what, std::uint64_t found, std::uint64_t expected,
                           std::string_view why);

}  // namespace vacancy
