// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/units/error.hpp"

namespace vacancy {

/// A parameter's value as a file, a form or a default gives it. std::monostate is "not set"
/// (JSON null), only for parameters that say `optional`.
using ParameterValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class ParameterType { boolean, integer, number, text, choice, path };

/// One row of the table that validation, `vacancy list`, the JSON Schema, the GUI's forms and the
/// reference pages are made from.
struct Parameter {
  std::string name;
  ParameterType type = ParameterType::integer;
  std::string unit;  // "tokens", "slots", "share" …; empty for none
  ParameterValue default_value;
  bool optional = false;                   // null allowed
  std::optional<double> minimum, maximum;  // both inclusive
  std::vector<std::string> choices;        // for type choice
  std::string help;                        // one sentence
};

/// A closed set of spelled values for an enum: the one place where a C++ value meets its JSON name.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

/// Specialise with `static constexpr EnumName<Enum> table[]` for every enum a user can name.
template <class Enum>
struct EnumNames;

template <class Enum>
std::string_view enum_name(Enum value) {
  for (const auto& entry : EnumNames<Enum>::table)
    if (entry.value == value) return entry.name;
  assertion_failed("enum_name", "value without a name", __FILE__, __LINE__);
}

template <class Enum>
std::optional<Enum> enum_value(std::string_view name) {
  for (const auto& entry : EnumNames<Enum>::table)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

/// Validated values by name, every default filled in.
using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

/// Binds each parameter to the member of the options struct that it sets, so that name, default
/// (the member's initialiser), range and help stand together once.
template <class Options>
class OptionTable {
 public:
  struct Range {
    std::optional<double> minimum, maximum;
  };

  template <class Member>
  OptionTable& add(std::string name, Member Options::*member, std::string unit, Range range,
                   std::string help) {
    Parameter parameter;
    parameter.name = std::move(name);
    parameter.unit = std::move(unit);
    parameter.minimum = range.minimum;
    parameter.maximum = range.maximum;
    parameter.help = std::move(help);
    describe(parameter, Options{}.*member);
    rows_.push_back({std::move(parameter), [member](Options& options, const ParameterValue& value) {
                       convert(value, options.*member);
                     }});
    return *this;
  }

  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all;
    for (const Row& row : rows_)
      all.push_back(row.parameter);
    return all;
  }

  Options read(const ParameterValues& values) const {
    Options options;
    for (const Row& row : rows_)
      row.assign(options, values.at(row.parameter.name));
    return options;
  }

 private:
  struct Row {
    Parameter parameter;
    std::function<void(Options&, const ParameterValue&)> assign;
  };

  template <class T>
  static void describe(Parameter& p, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      p.type = ParameterType::boolean;
      p.default_value = value;
    } else if constexpr (std::is_enum_v<T>) {
      p.type = ParameterType::choice;
      p.default_value = std::string(enum_name(value));
      for (const auto& entry : EnumNames<T>::table)
        p.choices.emplace_back(entry.name);
    } else if constexpr (std::is_integral_v<T>) {
      // Whatever a file says must fit the member. A value beyond 2^63 - 1 of a 64-bit member is
      // stored as the signed integer with the same bits.
      constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
      constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
      p.type = ParameterType::integer;
      p.default_value = static_cast<std::int64_t>(value);
      p.minimum = std::max(p.minimum.value_or(lowest), lowest);
      p.maximum = std::min(p.maximum.value_or(highest), highest);
    } else if constexpr (std::is_floating_point_v<T>) {
      p.type = ParameterType::number;
      p.default_value = static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      p.type = ParameterType::text;
      p.default_value = value;
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      p.type = ParameterType::path;
      p.default_value = value.string();
    } else {
      describe(p, value.value_or(typename T::value_type{}));
      p.optional = true;
      if (!value) p.default_value = std::monostate{};
    }
  }

  template <class T>
  static void convert(const ParameterValue& value, T& target) {
    if constexpr (std::is_enum_v<T>) {
      target = enum_value<T>(std::get<std::string>(value)).value();
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      target = std::get<T>(value);
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      target = std::get<std::string>(value);
    } else if constexpr (std::is_integral_v<T>) {
      target = static_cast<T>(std::get<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      target = static_cast<T>(whole ? static_cast<double>(*whole) : std::get<double>(value));
    } else if (std::holds_alternative<std::monostate>(value)) {
      target.reset();
    } else {
      convert(value, target.emplace());
    }
  }

  std::vector<Row> rows_;
};

}  // namespace vacancy
