// SPDX-License-Identifier: Apache-2.0
#include "sim/json/object_reader.hpp"

#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {
namespace {

using nlohmann::json;

/// Integers built in a program are signed, parsed ones are not.
std::optional<std::uint64_t> whole(const json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
    return value.get<std::uint64_t>();
  return std::nullopt;
}

/// The start of a value as it stands in the file. Invalid UTF-8 is replaced, not thrown at.
std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

const json& object_or_empty(const json& value) {
  static const json empty = json::object();
  return value.is_object() ? value : empty;
}

std::string range(const std::string& what, std::uint64_t low, std::uint64_t high) {
  return what + " from " + format_count(low) + " to " + format_count(high);
}

}  // namespace

ObjectReader::ObjectReader(const json& object, std::string place, std::string_view what)
    : object_(object_or_empty(object)), place_(std::move(place)) {
  if (!object.is_object())
    add_line(place_ + ": expected " + std::string(what) + ", got " + shown(object) + ".");
}

void ObjectReader::add_line(const std::string& line) {
  if (!faults_.empty()) faults_ += '\n';
  faults_ += line;
}

void ObjectReader::fault(std::string_view key, const std::string& sentence) {
  add_line(place_ + "/" + std::string(key) + ": " + sentence);
}

void ObjectReader::missing(std::string_view key, const std::string& expected) {
  fault(key, "is missing; it must be " + expected + ".");
}

void ObjectReader::add(const ObjectReader& inner) {
  if (!inner.faults_.empty()) add_line(inner.faults_);
}

void ObjectReader::finish() const {
  if (!faults_.empty()) throw UserError(faults_);
}

std::optional<std::uint64_t> ObjectReader::integer(std::string_view key, std::uint64_t low,
                                                   std::uint64_t high) {
  if (!has(key)) return std::nullopt;
  const json& value = (*this)[key];
  const auto number = whole(value);
  if (number && *number >= low && *number <= high) return number;
  fault(key, "expected " + range("an integer", low, high) + ", got " + shown(value) + ".");
  return std::nullopt;
}

std::optional<std::uint64_t> ObjectReader::required_integer(std::string_view key, std::uint64_t low,
                                                            std::uint64_t high) {
  if (!has(key)) missing(key, range("an integer", low, high));
  return integer(key, low, high);
}

std::optional<double> ObjectReader::number(std::string_view key, double low, double high) {
  if (!has(key)) return std::nullopt;
  const json& value = (*this)[key];
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= low && number <= high) return number;
  }
  const int decimals = low == static_cast<double>(static_cast<std::int64_t>(low)) ? 0 : 3;
  fault(key, "expected a number from " + format_decimal(low, decimals) + " to " +
                 format_decimal(high, 0) + ", got " + shown(value) + ".");
  return std::nullopt;
}

std::optional<bool> ObjectReader::boolean(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const json& value = (*this)[key];
  if (value.is_boolean()) return value.get<bool>();
  fault(key, "expected true or false, got " + shown(value) + ".");
  return std::nullopt;
}

std::optional<Bytes> ObjectReader::bytes(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const json& value = (*this)[key];
  if (const auto number = whole(value)) return Bytes(*number);
  if (!value.is_string()) {
    fault(key, "expected bytes as an integer or text with a unit, such as \"64 KiB\", got " +
                   shown(value) + ".");
    return std::nullopt;
  }
  try {
    return parse_bytes(value.get_ref<const std::string&>());
  } catch (const UserError& error) {
    fault(key, error.what());
    return std::nullopt;
  }
}

std::optional<Bytes> ObjectReader::bandwidth(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const json& value = (*this)[key];
  const auto number = whole(value);
  std::optional<Bytes> rate;
  if (number) rate = Bytes(*number);
  if (value.is_string()) {
    const std::string_view text = value.get_ref<const std::string&>();
    constexpr std::string_view per_second = "/s";
    if (text.ends_with(per_second)) {
      try {
        rate = parse_bytes(text.substr(0, text.size() - per_second.size()));
      } catch (const UserError& error) {
        fault(key, error.what());
        return std::nullopt;
      }
    }
  }
  if (rate && rate->value() > 0) return rate;
  fault(key, "expected bytes per second, an integer above 0 or text such as \"1008 GB/s\", got " +
                 shown(value) + ".");
  return std::nullopt;
}

std::string ObjectReader::text(std::string_view key) {
  if (!has(key)) return {};
  const json& value = (*this)[key];
  if (value.is_string()) return value.get<std::string>();
  fault(key, "expected text, got " + shown(value) + ".");
  return {};
}

std::string ObjectReader::label(std::string_view key, std::string_view otherwise) {
  if (!has(key)) return std::string(otherwise);
  const std::string value = text(key);
  constexpr std::size_t longest = 100;
  const bool clean = std::ranges::none_of(
      value, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if ((*this)[key].is_string() && (value.empty() || value.size() > longest || !clean))
    fault(key, "a name has 1 to " + std::to_string(longest) +
                   " bytes and no line breaks or other control characters.");
  return value;
}

std::vector<std::string> ObjectReader::texts(std::string_view key) {
  if (!has(key)) return {};
  const json& value = (*this)[key];
  const auto is_text = [](const json& element) { return element.is_string(); };
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_text))
    return value.get<std::vector<std::string>>();
  fault(key, "expected a list of texts, got " + shown(value) + ".");
  return {};
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key, std::string_view what) {
  if (!has(key)) return std::nullopt;
  return ObjectReader((*this)[key], place_ + "/" + std::string(key), what);
}

void ObjectReader::refuse_name(std::string_view key, const std::string& name,
                               const std::vector<std::string_view>& names) {
  std::string listed;
  for (const std::string_view each : names)
    listed += (listed.empty() ? "" : ", ") + std::string(each);
  fault(key,
        "\"" + name.substr(0, 60) + "\" is none of " + listed + "." + did_you_mean(name, names));
}

}  // namespace vacancy
