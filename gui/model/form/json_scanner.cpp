// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/json_scanner.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vacancy::gui {

const MemberSpan* ObjectSpan::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const MemberSpan& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

std::size_t JsonScanner::top() const {
  const std::size_t mark = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
  return after_blanks(mark);
}

std::size_t JsonScanner::after_comment(std::size_t at) const {
  const bool block = text_.substr(at, 2) == "/*";
  const std::size_t end = text_.find(block ? "*/" : "\n", at + 2);
  if (end == std::string_view::npos) return text_.size();
  if (block) return end + 2;
  return text_[end - 1] == '\r' ? end - 1 : end;
}

std::size_t JsonScanner::after_blanks(std::size_t at) const {
  while (at < text_.size()) {
    if (text_[at] == '/')
      at = after_comment(at);
    else if (std::string_view(" \t\r\n").find(text_[at]) != std::string_view::npos)
      ++at;
    else
      break;
  }
  return at;
}

std::size_t JsonScanner::rest_of_line(std::size_t at) const {
  while (at < text_.size()) {
    if (text_[at] == '/')
      at = after_comment(at);
    else if (text_[at] == ' ' || text_[at] == '\t')
      ++at;
    else
      break;
  }
  return at;
}

std::size_t JsonScanner::after_string(std::size_t at) const {
  for (++at; text_[at] != '"'; ++at)
    if (text_[at] == '\\') ++at;
  return at + 1;
}

std::size_t JsonScanner::after_value(std::size_t at) const {
  if (text_[at] == '"') return after_string(at);
  if (text_[at] != '{' && text_[at] != '[')
    return std::min(text_.find_first_of(" \t\r\n,]}/", at), text_.size());
  std::size_t depth = 0;
  do {
    const char c = text_[at];
    if (c == '"') {
      at = after_string(at);
    } else if (c == '/') {
      at = after_comment(at);
    } else {
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at;
    }
  } while (depth > 0 && at < text_.size());
  return at;
}

ObjectSpan JsonScanner::object(std::size_t at) const {
  ObjectSpan object;
  object.whole.begin = at;
  at = after_blanks(at + 1);
  while (text_[at] != '}') {
    MemberSpan member;
    member.name = {at, after_string(at)};
    member.key = nlohmann::json::parse(text_.substr(at, member.name.end - at)).get<std::string>();
    at = after_blanks(after_blanks(member.name.end) + 1);  // the colon
    member.value = {at, after_value(at)};
    at = after_blanks(member.value.end);
    if (text_[at] == ',') at = after_blanks(at + 1);
    object.members.push_back(std::move(member));
  }
  object.whole.end = at + 1;
  return object;
}

}  // namespace vacancy::gui
