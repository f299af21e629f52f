// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/field_entry.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <variant>

#include "sim/scenario/named_object.hpp"
#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

std::string integer_entry(std::int64_t value) {
  return value < 0 ? '-' + format_count(std::uint64_t{0} - static_cast<std::uint64_t>(value))
                   : format_count(static_cast<std::uint64_t>(value));
}

std::string number_entry(double value) {
  return nlohmann::json(value).dump();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number or a boolean, as JSON spells it.
bool is_plain(std::string_view text) {
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean();
}

std::string quoted(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string entry_of(const JsonNode& value) {
  switch (value.kind) {
    case JsonNode::Kind::null:
      return "";
    case JsonNode::Kind::boolean:
      return std::get<bool>(value.scalar) ? "true" : "false";
    case JsonNode::Kind::integer:
      if (const auto* large = std::get_if<std::uint64_t>(&value.scalar))
        return format_count(*large);
      return integer_entry(std::get<std::int64_t>(value.scalar));
    case JsonNode::Kind::number:
      return number_entry(std::get<double>(value.scalar));
    case JsonNode::Kind::text:
      return value.text();
    case JsonNode::Kind::array:
    case JsonNode::Kind::object:
      break;
  }
  return to_json(value).dump();
}

std::string entry_of(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return integer_entry(*whole);
  if (const auto* number = std::get_if<double>(&value)) return number_entry(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return "";
}

std::string without_groups(std::string_view entry) {
  const std::size_t sign = !entry.empty() && entry.front() == '-' ? 1 : 0;
  const std::size_t end = std::min(entry.find('.'), entry.size());
  std::size_t group = 0;  // digits since the last comma
  bool grouped = false;
  for (std::size_t i = sign; i < end; ++i) {
    if (entry[i] == ',') {
      if (group == 0 || group > 3 || (grouped && group != 3)) return std::string(entry);
      grouped = true;
      group = 0;
    } else if (is_digit(entry[i])) {
      ++group;
    } else {
      return std::string(entry);
    }
  }
  if (!grouped || group != 3) return std::string(entry);
  std::string digits;
  for (const char c : entry)
    if (c != ',') digits += c;
  return digits;
}

std::optional<std::string> json_of_entry(const SchemaKey& key, std::string_view entry) {
  const Parameter& parameter = key.parameter;
  const bool named = key.form == ValueForm::model || key.form == ValueForm::device ||
                     key.form == ValueForm::engine;
  if (key.form == ValueForm::plain && parameter.type == ParameterType::text && !parameter.optional)
    return quoted(entry);
  const std::string_view text = trimmed(entry);
  if (text.empty()) return std::nullopt;
  if (text.front() == '{' && nlohmann::json::accept(text)) return std::string(text);
  const bool worded = parameter.type == ParameterType::text ||
                      parameter.type == ParameterType::path ||
                      parameter.type == ParameterType::choice;
  if ((named || worded) && key.form != ValueForm::size) return quoted(text);
  const std::string plain = without_groups(text);
  return is_plain(plain) ? plain : quoted(text);
}

std::string title_of(std::string_view name) {
  std::string title(name);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty())
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

std::string default_entry(const Parameter& parameter) {
  if (!std::holds_alternative<std::monostate>(parameter.default_value))
    return entry_of(parameter.default_value);
  return "not set";
}

}  // namespace vacancy::gui
