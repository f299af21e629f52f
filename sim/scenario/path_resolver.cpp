// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/path_resolver.hpp"

#include <cstdlib>

namespace vacancy {

namespace {

constexpr std::string_view shared_prefix = "shared:";

}  // namespace

std::filesystem::path shared_data_folder() {
  if (const char* folder = std::getenv("VACANCY_SHARED_DIR"); folder && *folder) return folder;
  return (std::filesystem::path(VACANCY_SOURCE_DIR) / ".." / "shared").lexically_normal();
}

bool is_shared_path(std::string_view path) {
  return path.substr(0, shared_prefix.size()) == shared_prefix;
}

bool is_file_name(std::string_view name) {
  return is_shared_path(name) || name.find('/') != std::string_view::npos ||
         std::filesystem::path(name).extension() == ".json";
}

std::string anchored_path(const std::string& path, const std::filesystem::path& folder) {
  if (is_shared_path(path)) return path;
  return std::filesystem::absolute(folder / path).lexically_normal().string();
}

std::filesystem::path located_path(const std::string& anchored) {
  if (is_shared_path(anchored)) return shared_data_folder() / anchored.substr(shared_prefix.size());
  return anchored;
}

std::string shared_data_remedy() {
  return "It belongs to the shared data of the project, which are not in the repository: put them "
         "into the folder \"shared\" beside the checkout, or set VACANCY_SHARED_DIR to where they "
         "are. docs/data.md says where to get them.";
}

}  // namespace vacancy
