// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace vacancy::test {

/// A file that goes away with the object; its name is of this process and `name`.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::vector<char>& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("vacancy_" + std::to_string(getpid()) + "_" + name)) {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace vacancy::test
