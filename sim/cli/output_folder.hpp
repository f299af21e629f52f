// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vacancy {

/// The files of one run in one folder: all of them or none. They are written under temporary names
/// and get their own at the end; what was not committed is removed. Where a run is killed its
/// temporary files stay until the next run in the folder, which tells them by their name and by
/// that no process has them locked.
class OutputFolder {
 public:
  /// Creates the folder. Throws UserError where it cannot be made or written to.
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  /// Opens a file of the folder.
  std::ostream& file(const std::string& name);
  /// Gives the files their names, and removes those of `stale` that this run did not write, so that
  /// the folder speaks of one run only. Throws UserError if something could not be written.
  void commit(const std::vector<std::string>& stale = {});

 private:
  struct File {
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    std::filesystem::path temporary;
    std::ofstream stream;
    int lock = -1;  // a descriptor
  };
  void discard() noexcept;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> created_;  // folders, innermost first
  std::map<std::string, File> files_;
};

/// Where a file is that is to be written beside its place. Throws UserError if the path names none.
std::filesystem::path folder_of_file(const std::filesystem::path& file);

}  // namespace vacancy
