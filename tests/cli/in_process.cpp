// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/in_process.hpp"

#include <sstream>

#include "sim/cli/program.hpp"

namespace vacancy::test {

namespace {

class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& path) { current_path(path); }
  ~WorkingDirectory() { current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace

ProcessResult vacancy_in_process(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& directory) {
  std::vector<const char*> argv{"vacancy"};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const WorkingDirectory there(directory);
  const int exit_code = run_program(static_cast<int>(argv.size()), argv.data(), {out, err});
  return {exit_code, out.str(), err.str()};
}

}  // namespace vacancy::test
