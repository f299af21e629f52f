// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// What a finished process left behind. exit_code is 128 + n after signal n, as in a shell.
struct ProcessResult {
  int exit_code = -1;
  std::string out, err;
};

/// Runs the built `vacancy` in `directory` with these arguments and no terminal. `environment` has
/// entries "NAME=value" that come on top of the test's own.
ProcessResult vacancy(const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory = test::source_dir(),
                      const std::vector<std::string>& environment = {});

/// The same, but sends `signal` a while after `ready` exists.
ProcessResult vacancy_signalled(const std::vector<std::string>& arguments, int signal,
                                const std::filesystem::path& ready,
                                std::chrono::milliseconds wait = {});

/// An empty folder that goes with its object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file; returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  /// Names of what is inside, sorted, hidden ones too.
  static std::vector<std::string> names(const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace vacancy::test
