// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/registry/parameter.hpp"
#include "sim/units/suggest.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Reads members of one JSON object strictly and gathers every fault instead of stopping at the
/// first. A member that is absent or wrong gives nothing; only a wrong one leaves a fault, a line
/// "PLACE/key: sentence".
class ObjectReader {
 public:
  /// `place` stands before "/key" in faults, such as "my.json: /model". `object` must outlive the
  /// reader. What is no object leaves a fault that says that `what` was expected, and reads as an
  /// empty one.
  ObjectReader(const nlohmann::json& object, std::string place,
               std::string_view what = "an object");

  bool has(std::string_view key) const { return object_.contains(key); }
  const nlohmann::json& operator[](std::string_view key) const { return object_[std::string(key)]; }

  std::optional<std::uint64_t> integer(std::string_view key, std::uint64_t low, std::uint64_t high);
  /// The same; a missing member is a fault too.
  std::optional<std::uint64_t> required_integer(std::string_view key, std::uint64_t low,
                                                std::uint64_t high);
  std::optional<double> number(std::string_view key, double low, double high);
  std::optional<bool> boolean(std::string_view key);
  /// Bytes as an integer or text with a unit ("64 KiB").
  std::optional<Bytes> bytes(std::string_view key);
  /// Bytes per second, an integer or text with a unit ("1008 GB/s"); at least 1.
  std::optional<Bytes> bandwidth(std::string_view key);
  std::string text(std::string_view key);
  /// A text that is shown to people in the middle of sentences: one line, without control
  /// characters. Absent: `otherwise`.
  std::string label(std::string_view key, std::string_view otherwise);
  std::vector<std::string> texts(std::string_view key);
  /// The member as an object to read; give its faults back with add().
  std::optional<ObjectReader> object(std::string_view key, std::string_view what = "an object");

  template <class Enum>
  std::optional<Enum> choice(std::string_view key, const std::string& name) {
    if (const auto value = enum_value<Enum>(name)) return value;
    std::vector<std::string_view> names;
    for (const auto& entry : EnumNames<Enum>::table)
      names.push_back(entry.name);
    refuse_name(key, name, names);
    return std::nullopt;
  }

  /// Keys outside `known`, whose elements convert to std::string_view.
  template <class Names>
  void refuse_unknown(const Names& known) {
    for (const auto& [key, value] : object_.items())
      if (std::ranges::find(known, std::string_view(key)) == known.end())
        fault(key.substr(0, 60), "is not a key of this object." + did_you_mean(key, known));
  }

  void fault(std::string_view key, const std::string& sentence);
  /// A fault of a member that has to be there.
  void missing(std::string_view key, const std::string& expected);
  void add(const ObjectReader& inner);

  const std::string& faults() const { return faults_; }
  /// Throws all faults as one UserError, a line each, if there are any.
  void finish() const;

 private:
  void refuse_name(std::string_view key, const std::string& name,
                   const std::vector<std::string_view>& names);
  void add_line(const std::string& line);

  const nlohmann::json& object_;
  std::string place_;
  std::string faults_;
};

}  // namespace vacancy
