// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

namespace vacancy {

/// The bytes of a file, unpacked if it is gzip (RFC 1952, also several members in a row). Faults
/// are UserErrors without the file's name.
class ByteSource {
 public:
  /// Throws UserError if the file cannot be opened or is packed in another way.
  explicit ByteSource(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes; 0 only at the end.
  std::size_t read(char* out, std::size_t size);

 private:
  struct Inflater;

  void fill();
  std::size_t inflate(char* out, std::size_t size);

  std::ifstream file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;    // unread part of the buffer
  std::uint64_t bytes_before_ = 0;  // of the file, before the buffer
  bool whole_file_read_ = false;
  std::unique_ptr<Inflater> inflater_;  // null: plain
};

}  // namespace vacancy
