// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace vacancy {

// The columns of the plain CSV format.

struct CsvArrivalColumn {
  std::string_view name;
  int power;  // its unit is 10^power ns
};

inline constexpr CsvArrivalColumn csv_arrival_columns[] = {
    {"arrival_s", 9}, {"arrival_ms", 6}, {"arrival_us", 3}, {"arrival_ns", 0}};
inline constexpr std::string_view csv_prompt_column = "prompt_tokens";
inline constexpr std::string_view csv_output_column = "output_tokens";

}  // namespace vacancy
