// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/skip.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// The folder of real data and golden cases that lies beside a checkout; absent elsewhere.
inline std::filesystem::path shared_dir() {
  if (const char* dir = std::getenv("VACANCY_SHARED_DIR")) return dir;
  return test::source_dir() / ".." / "shared";
}

/// The path of a shared file, or nothing after a visible "SKIPPED:" line.
inline std::optional<std::filesystem::path> shared_file(const std::string& relative) {
  auto path = shared_dir() / relative;
  if (std::filesystem::exists(path)) return path;
  skip(relative + " is not in the shared data folder");
  return std::nullopt;
}

}  // namespace vacancy::test
