// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output_folder.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why) {
  throw UserError("Cannot write " + path.string() + ": " + why +
                  ". Choose another place to write to.");
}

/// Not even a link that leads nowhere: that one is the user's.
bool is_nothing(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() ==
         std::filesystem::file_type::not_found;
}

std::string partial_name(const std::string& name, const std::string& process) {
  return "." + name + "." + process + ".partial";
}

/// Removes what a run left here that was killed before it could clean up.
void remove_orphans(const std::filesystem::path& folder, const std::string& name) {
  const std::string head = "." + name + ".", tail = ".partial";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string found = entry.path().filename().string();
    if (!found.starts_with(head) || !found.ends_with(tail)) continue;
    const std::string process =
        found.substr(head.size(), found.size() - std::min(found.size(), head.size() + tail.size()));
    pid_t id = 0;
    const char* const end = process.data() + process.size();
    const auto parsed = std::from_chars(process.data(), end, id);
    if (parsed.ec != std::errc{} || parsed.ptr != end || id <= 0) continue;
    if (kill(id, 0) != 0 && errno == ESRCH) std::filesystem::remove(entry.path(), error);
  }
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (auto path = std::filesystem::absolute(folder_).lexically_normal();
       !path.empty() && is_nothing(path) && path != path.parent_path(); path = path.parent_path())
    created_.push_back(path);
  std::filesystem::create_directories(folder_, error);
  if (error) {
    discard();
    cannot_write(folder_, error.message());
  }
  if (!std::filesystem::is_directory(folder_)) cannot_write(folder_, "it is not a folder");
}

OutputFolder::~OutputFolder() {
  discard();
}

std::ostream& OutputFolder::file(const std::string& name) {
  File& file = files_[name];
  remove_orphans(folder_, name);
  file.temporary = folder_ / partial_name(name, std::to_string(getpid()));
  file.stream.open(file.temporary, std::ios::binary | std::ios::trunc);
  if (!file.stream) cannot_write(folder_ / name, std::strerror(errno));
  return file.stream;
}

void OutputFolder::commit(const std::vector<std::string>& stale) {
  // First every byte, then every name: after a full disk nothing has changed.
  for (auto& [name, file] : files_) {
    file.stream.close();
    if (!file.stream) cannot_write(folder_ / name, std::strerror(errno));
  }
  std::error_code error;
  for (const std::string& name : stale)
    if (!files_.contains(name)) std::filesystem::remove(folder_ / name, error);
  for (auto& [name, file] : files_) {
    std::filesystem::rename(file.temporary, folder_ / name, error);
    if (error) cannot_write(folder_ / name, error.message());
    file.temporary.clear();
  }
  files_.clear();
  created_.clear();
}

std::filesystem::path folder_of_file(const std::filesystem::path& file) {
  if (!file.has_filename() || std::filesystem::is_directory(file))
    throw UserError(file.string() + ": is a folder; name the file to write.");
  // It will be replaced, which devices, pipes and links would not survive.
  if (!is_nothing(file) &&
      std::filesystem::symlink_status(file).type() != std::filesystem::file_type::regular)
    throw UserError(file.string() + ": is there, and is not a plain file; name another.");
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void OutputFolder::discard() noexcept {
  std::error_code ignored;
  for (auto& [name, file] : files_) {
    file.stream.close();
    if (!file.temporary.empty()) std::filesystem::remove(file.temporary, ignored);
  }
  for (const auto& folder : created_)
    std::filesystem::remove(folder, ignored);  // only if empty
}

}  // namespace vacancy
