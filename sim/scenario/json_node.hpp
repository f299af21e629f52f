// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vacancy {

/// Where a value was written: in the file (origin 0, line and column from 1) or in an override
/// (origin n is the n-th one).
struct Place {
  std::uint32_t origin = 0;
  std::uint32_t line = 1, column = 1;
};

struct JsonMember;

/// A JSON value that knows where it stands. Members keep the order of the file; keys are unique.
struct JsonNode {
  enum class Kind { null, boolean, integer, number, text, array, object };
  /// Integers are signed unless they exceed 2^63 - 1.
  using Scalar =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

  Kind kind = Kind::null;
  Place place;
  Scalar scalar;
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;

  const JsonNode* find(std::string_view key) const;
  JsonNode* find(std::string_view key);
  const std::string& text() const { return std::get<std::string>(scalar); }
};

struct JsonMember {
  std::string key;
  Place place;  // of the key
  JsonNode value;
};

/// The pointer (RFC 6901) of `key` inside the value at `pointer`.
std::string child_pointer(std::string_view pointer, std::string_view key);
std::string child_pointer(std::string_view pointer, std::size_t index);

/// The value at `pointer` below `root`, or null.
const JsonNode* find_node(const JsonNode& root, std::string_view pointer);
/// Where the value at `pointer` stands, or the nearest object around it that exists.
Place place_of(const JsonNode& root, std::string_view pointer);

/// "an integer", "an object": a value's type in a sentence.
std::string_view kind_name(JsonNode::Kind kind);

}  // namespace vacancy
