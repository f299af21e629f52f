// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/json_edit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/model/form/json_scanner.hpp"

namespace vacancy::gui {

namespace {

using Keys = std::vector<std::string>;

/// How far keys lead through the objects of a text.
struct Walk {
  std::vector<ObjectSpan> objects;  // from the top on, each inside the one before
  std::size_t found = 0;            // keys that are there; all of them: the value is in the last
};

Walk walk(std::string_view text, const Keys& keys) {
  const JsonScanner scanner(text);
  Walk result;
  std::size_t at = scanner.top();
  while (text[at] == '{') {
    result.objects.push_back(scanner.object(at));
    if (result.found == keys.size()) break;
    const MemberSpan* member = result.objects.back().find(keys[result.found]);
    if (!member) break;
    ++result.found;
    if (result.found == keys.size()) break;
    at = member->value.begin;
  }
  return result;
}

std::string key_text(std::string_view key) {
  return nlohmann::json(std::string(key)).dump();
}

/// {"b": {"c": value}} for the keys b, c; the value itself for none.
std::string nested(const Keys& keys, std::size_t from, std::string_view value) {
  if (from == keys.size()) return std::string(value);
  return '{' + key_text(keys[from]) + ": " + nested(keys, from + 1, value) + '}';
}

std::string replaced(std::string_view text, TextSpan span, std::string_view by) {
  std::string result(text.substr(0, span.begin));
  result += by;
  result += text.substr(span.end);
  return result;
}

std::size_t line_start(std::string_view text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Behind the last member: on its line where the object stands on one, else on a line below with
/// the member's indentation, behind a comment that follows it.
std::string appended(std::string_view text, const ObjectSpan& object, const std::string& member) {
  if (object.members.empty())
    return replaced(text, {object.whole.begin + 1, object.whole.begin + 1}, member);
  const MemberSpan& last = object.members.back();
  const std::size_t start = line_start(text, last.name.begin);
  const std::string_view indent = text.substr(start, last.name.begin - start);
  std::string result(text.substr(0, last.value.end));
  result += ',';
  if (!blank(indent)) {
    result += ' ' + member;
    result += text.substr(last.value.end);
    return result;
  }
  std::size_t end = JsonScanner(text).rest_of_line(last.value.end);
  if (end < text.size() && text[end] != '\n' && text[end] != '\r') end = last.value.end;
  result += text.substr(last.value.end, end - last.value.end);
  result += text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  result += indent;
  result += member;
  result += text.substr(end);
  return result;
}

/// Widens a span over the blanks around it if nothing else stands on its lines; one line end goes
/// with it.
TextSpan whole_lines(std::string_view text, TextSpan span) {
  const std::size_t start = line_start(text, span.begin);
  const std::size_t end = std::min(text.find('\n', span.end), text.size());
  if (start == 0 || end == text.size() || !blank(text.substr(start, span.begin - start)) ||
      !blank(text.substr(span.end, end - span.end)))
    return span;
  return {start, end + 1};
}

std::string without_member(std::string_view text, const ObjectSpan& object, std::size_t index) {
  const MemberSpan& member = object.members[index];
  TextSpan span{member.name.begin, member.value.end};
  const JsonScanner scanner(text);
  if (index + 1 < object.members.size()) {
    span.end = scanner.after_blanks(member.value.end) + 1;  // the comma
    const TextSpan lines = whole_lines(text, span);
    if (lines.end != span.end) return replaced(text, lines, "");
    while (span.end < text.size() && (text[span.end] == ' ' || text[span.end] == '\t'))
      ++span.end;
    return replaced(text, span, "");
  }
  const TextSpan lines = whole_lines(text, span);
  if (index == 0) return replaced(text, lines, "");
  const std::size_t comma = scanner.after_blanks(object.members[index - 1].value.end);
  const bool own_lines = lines.end != span.end;
  // What stands between the comma and the member are comments, or blanks that go with it.
  const std::string_view between = text.substr(comma + 1, span.begin - comma - 1);
  const std::size_t from = own_lines ? lines.begin : blank(between) ? comma + 1 : span.begin;
  std::string result(text.substr(0, comma));
  result += text.substr(comma + 1, from - comma - 1);
  result += text.substr(own_lines ? lines.end : span.end);
  return result;
}

}  // namespace

std::string with_value(std::string_view text, const Keys& keys, std::string_view value) {
  const Walk way = walk(text, keys);
  const ObjectSpan& object = way.objects.back();
  // A value is there: the one that is meant, or one on the way that is no object.
  if (way.found == way.objects.size())
    return replaced(text, object.find(keys[way.found - 1])->value, nested(keys, way.found, value));
  return appended(text, object,
                  key_text(keys[way.found]) + ": " + nested(keys, way.found + 1, value));
}

std::string without_value(std::string_view text, const Keys& keys) {
  const Walk way = walk(text, keys);
  if (way.found < keys.size() || way.objects.size() < keys.size()) return std::string(text);
  std::size_t depth = keys.size() - 1;
  const auto holds_only_it = [&](const ObjectSpan& object) {
    const MemberSpan& only = object.members.front();
    const std::string_view before =
        text.substr(object.whole.begin + 1, only.name.begin - object.whole.begin - 1);
    const std::string_view after =
        text.substr(only.value.end, object.whole.end - 1 - only.value.end);
    return object.members.size() == 1 && before.find('/') == std::string_view::npos &&
           after.find('/') == std::string_view::npos;
  };
  while (depth > 0 && holds_only_it(way.objects[depth]))
    --depth;
  const ObjectSpan& object = way.objects[depth];
  const MemberSpan* member = object.find(keys[depth]);
  return without_member(text, object, static_cast<std::size_t>(member - object.members.data()));
}

std::vector<std::string> keys_of_pointer(std::string_view pointer) {
  Keys keys;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escaped = token[i] == '~' && i + 1 < token.size();
      key += !escaped ? token[i] : token[++i] == '1' ? '/' : '~';
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace vacancy::gui
