// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vacancy::test {

/// What ctest takes for "skipped" (cmake/VacancyLibrary.cmake).
inline constexpr int skipped_code = 77;

/// Catch2's main function, for a program that has something to do before. 1 if a case failed, else
/// skipped_code if one said that it cannot do its work here.
int run_cases(int argc, char* argv[]);

/// Says why what runs cannot do its work here, and returns.
void skip(const std::string& why);

}  // namespace vacancy::test
