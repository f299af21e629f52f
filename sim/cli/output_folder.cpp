// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output_folder.hpp"

#include <unistd.h>

#include <cerrno>
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
  file.temporary = folder_ / ("." + name + "." + std::to_string(getpid()) + ".partial");
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
