// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
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

// Temporary names are ".NAME.PROCESS.vacancy.partial". Who writes holds a lock on the file, which
// ends with its process however that ends: what nobody has locked is a leftover.
constexpr std::string_view temporary_end = ".vacancy.partial";

bool is_temporary(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(temporary_end)) return false;
  name.remove_suffix(temporary_end.size());
  const std::size_t dot = name.rfind('.');
  const std::string_view process = name.substr(dot + 1);
  return dot > 1 && !process.empty() &&
         process.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Creates a file and locks it; the descriptor holds the lock. -1 if the file cannot be written.
int create_locked(const std::filesystem::path& path) {
  for (;;) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return descriptor;
    flock(descriptor, LOCK_EX);  // not every file system has locks
    // Somebody may have taken it for a leftover before it was locked.
    struct stat here, there;
    if (fstat(descriptor, &here) == 0 && stat(path.c_str(), &there) == 0 &&
        here.st_ino == there.st_ino && here.st_dev == there.st_dev)
      return descriptor;
    close(descriptor);
  }
}

/// Removes what runs left here that were killed before they could clean up.
void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!is_temporary(entry.path().filename().string())) continue;
    const int descriptor =
        open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    struct stat found;
    if (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      std::filesystem::remove(entry.path(), error);
    close(descriptor);
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
  remove_leftovers(folder_);
}

OutputFolder::~OutputFolder() {
  discard();
}

std::ostream& OutputFolder::file(const std::string& name) {
  File& file = files_[name];
  VACANCY_ASSERT(file.lock < 0, "a file is begun once");
  const auto path =
      folder_ / ("." + name + "." + std::to_string(getpid()) + std::string(temporary_end));
  file.lock = create_locked(path);
  if (file.lock < 0) cannot_write(folder_ / name, std::strerror(errno));
  file.temporary = path;
  file.stream.open(path, std::ios::binary | std::ios::trunc);
  if (!file.stream) cannot_write(folder_ / name, std::strerror(errno));
  return file.stream;
}

OutputFolder::File::~File() {
  if (lock >= 0) close(lock);
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
