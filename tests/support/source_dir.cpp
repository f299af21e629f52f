// SPDX-License-Identifier: Apache-2.0
#include "tests/support/source_dir.hpp"

namespace vacancy::test {

const std::filesystem::path& source_dir() {
  static const std::filesystem::path root = VACANCY_SOURCE_DIR;
  return root;
}

std::string source_file(const char* path) {
  return source_dir().string() + path;
}

}  // namespace vacancy::test
