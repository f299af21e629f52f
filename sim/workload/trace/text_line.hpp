// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vacancy {

/// A line that grows by numbers and texts; the same in every locale.
class TextLine {
 public:
  void clear() { text_.clear(); }
  TextLine& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  template <class T>
  requires std::is_integral_v<T> TextLine& operator<<(T number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text_.append(digits.data(), end.ptr);
    return *this;
  }
  template <class T>
  TextLine& operator<<(const std::vector<T>& numbers) {
    *this << "[";
    const char* separator = "";
    for (const T number : numbers) {
      *this << separator << number;
      separator = ", ";
    }
    return *this << "]";
  }
  void end(std::ostream& out) {
    text_ += '\n';
    out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  }

 private:
  std::string text_;
};

}  // namespace vacancy
