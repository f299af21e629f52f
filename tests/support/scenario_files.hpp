// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace vacancy::test {

/// Files of a folder and those below it, in the same order everywhere.
template <class Wanted>
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               Wanted&& wanted) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && wanted(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline bool is_sweep_file(const std::filesystem::path& file) {
  return file.extension() == ".json" && file.parent_path().filename() == "sweeps";
}

inline std::vector<std::filesystem::path> sweep_files(const std::filesystem::path& folder) {
  return files_below(folder, is_sweep_file);
}

/// Every scenario: no sweeps, and of lessons what they run.
inline std::vector<std::filesystem::path> scenario_files(const std::filesystem::path& folder) {
  return files_below(folder, [](const std::filesystem::path& file) {
    return file.extension() == ".json" && file.filename() != "lesson.json" && !is_sweep_file(file);
  });
}

}  // namespace vacancy::test
