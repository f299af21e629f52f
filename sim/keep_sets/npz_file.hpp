// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/keep_sets/npy_array.hpp"
#include "sim/zip/zip_archive.hpp"

namespace vacancy {

/// The arrays of an .npz file, by name.
class NpzFile {
 public:
  /// Throws UserError if the file has arrays outside `known`.
  NpzFile(const std::filesystem::path& file, std::span<const std::string_view> known);

  bool has(std::string_view array) const { return member(array) != nullptr; }
  /// An array to be read from its first element on; it refers to this file.
  NpyArray open(std::string_view array) const;
  /// The one number of an array with one; nothing without the array.
  std::optional<std::int64_t> number(std::string_view array) const;
  /// The same for a count; throws UserError below 0.
  std::optional<std::uint64_t> count(std::string_view array) const;
  /// All numbers of a list; throws UserError unless the array has one axis or none, and at most
  /// so many numbers.
  std::vector<std::int64_t> list(std::string_view array, std::uint64_t most) const;

  /// "my.npz: length.npy", as messages begin.
  std::string place(std::string_view array) const;
  [[noreturn]] void fail(const std::string& sentence) const { archive_->fail(sentence); }

 private:
  const ZipMember* member(std::string_view array) const;

  std::string name_;
  std::unique_ptr<ZipArchive> archive_;  // stays where it is for the streams
};

}  // namespace vacancy
