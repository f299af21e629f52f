// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy::gui {

/// Bytes [begin, end) of a text.
struct TextSpan {
  std::size_t begin = 0, end = 0;
};

struct MemberSpan {
  std::string key;
  TextSpan name, value;  // the name with its quotes
};

struct ObjectSpan {
  TextSpan whole;  // with its braces
  std::vector<MemberSpan> members;

  const MemberSpan* find(std::string_view key) const;
};

/// Finds where values begin and end in valid JSON with comments.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  /// Where the value at the top begins.
  std::size_t top() const;
  /// The object that begins at `at`.
  ObjectSpan object(std::size_t at) const;
  /// Behind blanks and comments.
  std::size_t after_blanks(std::size_t at) const;
  /// Behind blanks and comments of the same line: where the next token is, or the line's end.
  std::size_t rest_of_line(std::size_t at) const;

 private:
  std::size_t after_comment(std::size_t at) const;
  std::size_t after_string(std::size_t at) const;
  std::size_t after_value(std::size_t at) const;

  std::string_view text_;
};

}  // namespace vacancy::gui
