// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/process.hpp"
#include "tests/support/source_dir.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace vacancy::test {

namespace {

pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
            const std::vector<std::string>& environment, const std::filesystem::path& out,
            const std::filesystem::path& err) {
  std::vector<char*> argv;
  std::string program = VACANCY_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies)
    argv.push_back(argument.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;
  const int null = open("/dev/null", O_RDONLY);
  const int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int errors = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(null, STDIN_FILENO);
  dup2(to, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})  // a shell's background jobs ignore some
    std::signal(signal, SIG_DFL);
  if (chdir(directory.c_str()) != 0) _exit(126);
  execv(VACANCY_PROGRAM, argv.data());
  _exit(127);
}

ProcessResult finish(pid_t child, const std::filesystem::path& out,
                     const std::filesystem::path& err) {
  int status = 0;
  waitpid(child, &status, 0);
  ProcessResult result;
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

}  // namespace

ProcessResult vacancy(const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory,
                      const std::vector<std::string>& environment) {
  const TemporaryFolder streams;
  const auto out = streams.path() / "out", err = streams.path() / "err";
  std::vector<std::string> all = {"COLUMNS=100"};
  all.insert(all.end(), environment.begin(), environment.end());
  return finish(start(arguments, directory, all, out, err), out, err);
}

ProcessResult vacancy_signalled(const std::vector<std::string>& arguments, int signal,
                                const std::filesystem::path& ready,
                                std::chrono::milliseconds wait) {
  const TemporaryFolder streams;
  const auto out = streams.path() / "out", err = streams.path() / "err";
  const pid_t child = start(arguments, test::source_dir(), {}, out, err);
  for (int i = 0; i < 2000 && !std::filesystem::exists(ready); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(wait);
  kill(child, signal);
  return finish(child, out, err);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "vacancy-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return (path_ / name).string();
}

std::vector<std::string> TemporaryFolder::names(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace vacancy::test
