// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vacancy::simt::host {

/// A line of a kernel. (clang-tidy 14 knows no std::source_location.)
struct Location {
  const char* file = "";
  int line = 0;
};

}  // namespace vacancy::simt::host

/// The last parameter of a function that a kernel calls: the caller's line.
#define VACANCY_SIMT_HERE \
  ::vacancy::simt::host::Location location = {__builtin_FILE(), __builtin_LINE()}
