// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/overrides.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "sim/scenario/json_document.hpp"

namespace vacancy {

namespace {

struct Override {
  std::vector<std::string> keys;
  std::string pointer;
  std::string_view value;
};

std::string pointer_of(const std::vector<std::string>& keys) {
  std::string pointer;
  for (const std::string& key : keys)
    pointer = child_pointer(pointer, key);
  return pointer;
}

/// A command line may hold any bytes; what a file could not hold is refused.
bool is_text(std::string_view bytes) {
  std::string quoted = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return nlohmann::json::accept(quoted + '"');
}

/// False after a fault.
bool split(std::string_view text, Place place, Override& out, Diagnostics& faults) {
  if (!is_text(text)) {
    faults.add(place, "", "is not UTF-8 text, or has control characters, so no file could say it.");
    return false;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    faults.add(place, "",
               "expected a dotted path, '=', and a value, such as "
               "eviction.budget=2048.");
    return false;
  }
  out.value = text.substr(equals + 1);
  out.keys = keys_of_path(text.substr(0, equals));
  out.pointer = pointer_of(out.keys);
  if (out.keys.empty())
    faults.add(place, "", "the path has an empty part; write it as eviction.budget.");
  return !out.keys.empty();
}

/// JSON, or else a bare word. What starts as an object, array or quoted text must be JSON.
std::optional<JsonNode> parse_value(const Override& assignment, Place place, Diagnostics& faults) {
  const std::string_view text = assignment.value;
  if (text.empty()) {
    faults.add(place, assignment.pointer, "the value is missing; an empty text is \"\".");
    return std::nullopt;
  }
  Diagnostics trial("");
  auto node = parse_json(text, 0, trial);
  if (node && trial.empty()) return node;
  if (!node && std::string_view("{[\"").find(text.front()) == std::string_view::npos)
    return JsonNode{JsonNode::Kind::text, place, std::string(text), {}, {}};
  parse_json(text, place.origin, faults, assignment.pointer);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> keys_of_path(std::string_view path) {
  std::vector<std::string> keys;
  for (bool more = true; more;) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    if (key.empty()) return {};
    keys.emplace_back(key);
    more = dot != std::string_view::npos;
    if (more) path.remove_prefix(dot + 1);
  }
  return keys;
}

void set_origin(JsonNode& node, std::uint32_t origin) {
  node.place.origin = origin;
  for (JsonNode& item : node.items)
    set_origin(item, origin);
  for (JsonMember& member : node.members) {
    member.place.origin = origin;
    set_origin(member.value, origin);
  }
}

void assign(JsonNode& root, const std::vector<std::string>& keys, JsonNode value,
            Diagnostics& faults) {
  const Place place = value.place;
  JsonNode* node = &root;
  std::string pointer;
  for (const std::string& key : keys) {
    if (node->kind != JsonNode::Kind::object) {
      faults.add(place, pointer_of(keys),
                 (pointer.empty() ? "the scenario" : pointer) + " is " +
                     std::string(kind_name(node->kind)) +
                     ", so no key in it can be set; set all of it to an object.");
      return;
    }
    pointer = child_pointer(pointer, key);
    JsonNode* next = node->find(key);
    if (!next) {
      JsonNode made;
      made.kind = JsonNode::Kind::object;
      made.place = place;
      node->members.push_back({key, place, std::move(made)});
      next = &node->members.back().value;
    }
    node = next;
  }
  *node = std::move(value);
}

void apply_overrides(const std::vector<std::string>& overrides, JsonNode& root,
                     Diagnostics& faults) {
  std::set<std::string> pointers;
  for (const std::string& text : overrides) {
    const Place place{faults.add_override(text), 1, 1};
    Override assignment;
    if (!split(text, place, assignment, faults)) continue;
    if (!pointers.insert(assignment.pointer).second) {
      faults.add(place, assignment.pointer, "is set twice; remove one --set.");
      continue;
    }
    if (auto value = parse_value(assignment, place, faults)) {
      set_origin(*value, place.origin);
      assign(root, assignment.keys, std::move(*value), faults);
    }
  }
}

}  // namespace vacancy
