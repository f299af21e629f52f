// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <string>

namespace vacancy::test {

/// What ctest takes for "skipped" (cmake/VacancyLibrary.cmake).
inline constexpr int skipped_code = 77;

inline bool any_skipped = false;

/// Says why what runs cannot do its work here, and returns.
inline void skip(const std::string& why) {
  any_skipped = true;
  std::cout << "SKIPPED: " << why << '\n';
}

}  // namespace vacancy::test
