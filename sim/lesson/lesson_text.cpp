// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/lesson_text.hpp"

#include <algorithm>
#include <cctype>

namespace vacancy {

namespace {

bool begins_number(char c) {
  return c >= '0' && c <= '9';
}

/// Calls `plain` and `name` with what stands outside and inside of braces, in order.
template <class Plain, class Name>
void walk_braces(std::string_view text, Plain&& plain, Name&& name) {
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    plain(text.substr(0, open));
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (text.empty() || close == std::string_view::npos) return;
    name(text.substr(1, close - 1));
    text.remove_prefix(close + 1);
  }
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool in_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::vector<std::string> figures_in(std::string_view text, std::optional<std::string>& fault) {
  std::vector<std::string> names;
  bool open = false;
  for (const char c : text) {
    if ((c == '{' && open) || (c == '}' && !open))
      fault = "a figure stands in a pair of braces, {name}, and braces stand for nothing else.";
    if (c == '{' || c == '}') open = c == '{';
  }
  if (open) fault = "an open brace has no closing one.";
  if (fault) return names;
  walk_braces(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
      });
  return names;
}

std::string number_in(std::string_view text) {
  std::string found;
  walk_braces(
      text,
      [&](std::string_view plain) {
        const auto digit = std::find_if(plain.begin(), plain.end(), begins_number);
        if (!found.empty() || digit == plain.end()) return;
        const auto end = std::find(digit, plain.end(), ' ');
        found.assign(digit, end);
      },
      [](std::string_view) {});
  return found;
}

std::string filled(std::string_view text,
                   const std::function<std::string(const std::string&)>& text_of) {
  std::string result;
  walk_braces(
      text, [&](std::string_view plain) { result += plain; },
      [&](std::string_view name) { result += text_of(std::string(name)); });
  return result;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (auto from = text.begin();;) {
    const auto at = std::search(from, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return false;
    auto end = at + static_cast<std::ptrdiff_t>(word.size());
    if (end != text.end() && *end == 's') ++end;
    const bool starts = at == text.begin() || !in_word(*(at - 1));
    if (starts && (end == text.end() || !in_word(*end))) return true;
    from = at + 1;
  }
}

}  // namespace vacancy
