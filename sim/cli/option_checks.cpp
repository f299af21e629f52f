// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/option_checks.hpp"

#include <charconv>
#include <cstdint>
#include <string>

namespace vacancy {

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data(), end, value);
            const bool leading_zero = text.size() > 1 && text.front() == '0';
            if (parsed.ec == std::errc{} && parsed.ptr == end && !leading_zero && value >= low &&
                value <= high)
              return "";
            return "expected an integer from " + std::to_string(low) + " to " +
                   std::to_string(high) + ", got \"" + text + '"';
          },
          ""};
}

CLI::Validator not_empty() {
  return {[](std::string& text) -> std::string { return text.empty() ? "is empty" : ""; }, ""};
}

}  // namespace vacancy
