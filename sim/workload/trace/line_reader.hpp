// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/trace/byte_source.hpp"

namespace vacancy {

/// The longest line that a trace may have: a million token ids with room.
inline constexpr std::size_t max_trace_line_bytes = std::size_t{1} << 24;

/// How long the lines of a kind of file may be, and what to say of a longer one.
struct LineLimit {
  std::size_t bytes;
  std::string_view remedy;
};
inline constexpr LineLimit trace_line_limit{max_trace_line_bytes,
                                            "a trace has one request or conversation a line."};

/// The lines of a plain or gzip text file, one in memory at a time. A byte order mark at the start
/// of the file, a carriage return at the end of a line and blank lines are passed over.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path, LineLimit limit = trace_line_limit);

  /// Moves to the next line that is not blank; false at the end.
  bool next();
  /// Makes the current line the next one again.
  void put_back() { put_back_ = true; }

  /// Without its end; valid until the next call of next().
  std::string_view line() const { return line_; }
  /// Counted from 1, blank lines too.
  std::uint64_t number() const { return number_; }

  /// Throws UserError: the file, the current line, the field unless it is empty, the sentence.
  [[noreturn]] void fail(std::string_view field, std::string_view sentence) const;
  /// Throws UserError: the file and the sentence.
  [[noreturn]] void fail_file(std::string_view sentence) const;

 private:
  /// The next line with its end taken off; false at the end of the file.
  bool read_line();
  bool read_more();

  std::string name_;
  LineLimit limit_;
  ByteSource bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;  // unread part of the buffer
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool put_back_ = false;
};

/// Text out of a file between quotes, fit for a message: other than printable ASCII becomes '?',
/// and what follows the first 60 characters "...".
std::string quoted_excerpt(std::string_view text);

}  // namespace vacancy
