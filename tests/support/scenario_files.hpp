// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// Every scenario of the project, in the same order everywhere: no sweeps, and of lessons what they
/// run.
inline std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_dir() / "scenarios")) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == ".json" && file.filename() != "lesson.json" &&
        file.parent_path().filename() != "sweeps")
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace vacancy::test
