// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "sim/sweep/run_record.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy {

/// A folder that no other process has locked. Throws UserError if one has.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// The finished runs of a sweep in a folder, kept as they end: points.jsonl, a line each. Killed at
/// any moment it loses at most the line that is being written. Beside it timing.csv says how long
/// runs took; nothing else does.
class Journal {
 public:
  /// Opens the folder's journal or begins one; `identity` says which runs it is about. What is
  /// there is thrown away if `fresh`, or if it is of another sweep of which nothing ran. Throws
  /// UserError where the folder belongs to other runs or another process, cannot be written, or
  /// where damage hides whose runs are there. Damaged lines are lost, and all others are not: the
  /// journal is then written anew and the old one put aside.
  Journal(const std::filesystem::path& folder, const std::string& identity, bool fresh);

  /// By run; of an earlier start too, but for those that failed, which are tried again.
  const std::map<std::uint64_t, RunRecord>& records() const { return records_; }
  void add(RunRecord record, std::uint64_t point, double seconds);
  /// The journal in the order of runs, whatever order they ended in.
  std::string sorted() const;
  /// What was found damaged, and what became of it; empty if nothing was.
  const std::string& note() const { return note_; }

 private:
  void read(const std::string& identity);
  void put_aside(std::uint64_t damaged);
  void begin();

  std::filesystem::path folder_;
  FolderLock lock_;
  std::string header_, note_;
  std::map<std::uint64_t, RunRecord> records_;
  std::ofstream journal_, timing_;
};

inline constexpr const char* journal_file = "points.jsonl";
inline constexpr const char* timing_file = "timing.csv";

/// What makes the runs of a sweep what they are: its scenario, points and seeds, and the program's
/// version, but not how results are shown.
std::string sweep_identity(const Sweep& sweep);

}  // namespace vacancy
