// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/strict_object.hpp"

#include <algorithm>
#include <utility>

#include "sim/scenario/schema.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

std::string shown(const JsonNode& node) {
  return node.kind == Kind::text ? "the text " + in_quotes(node.text())
                                 : std::string(kind_name(node.kind));
}

std::optional<double> number_of(const JsonNode& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.scalar))
    return static_cast<double>(*whole);
  if (const auto* large = std::get_if<std::uint64_t>(&node.scalar))
    return static_cast<double>(*large);
  if (const auto* number = std::get_if<double>(&node.scalar)) return *number;
  return std::nullopt;
}

}  // namespace

StrictObject::StrictObject(const JsonNode& node, std::string pointer,
                           std::initializer_list<std::string_view> keys, Diagnostics& faults)
    : node_(node), pointer_(std::move(pointer)), faults_(faults) {
  if (node.kind != Kind::object) {
    faults.add(node.place, pointer_, "expected an object {…}, got " + shown(node) + ".");
    return;
  }
  for (const JsonMember& each : node.members)
    if (std::find(keys.begin(), keys.end(), each.key) == keys.end()) {
      std::string sentence = in_quotes(each.key) + " is not a key of this object.";
      const std::string hint = did_you_mean(each.key, keys);
      if (!hint.empty()) {
        sentence += hint;
      } else {
        sentence += " Known keys:";
        for (const std::string_view key : keys)
          sentence.append(key == *keys.begin() ? " " : ", ").append(key);
        sentence += '.';
      }
      faults.add(each.place, child_pointer(pointer_, each.key), std::move(sentence));
    }
}

const JsonNode* StrictObject::find(std::string_view key) const {
  return node_.kind == Kind::object ? node_.find(key) : nullptr;
}

const JsonNode* StrictObject::member(std::string_view key, Presence presence,
                                     const std::string& expected) {
  const JsonNode* found = find(key);
  if (!found && presence == Presence::required && node_.kind == Kind::object)
    missing(key, expected);
  return found;
}

void StrictObject::missing(std::string_view key, const std::string& expected) {
  faults_.add(node_.place, pointer_,
              "the key " + in_quotes(key) + " is missing: " + expected + ".");
}

void StrictObject::fault(std::string_view key, std::string sentence) {
  const JsonNode* found = find(key);
  faults_.add(found ? found->place : node_.place, pointer(key), std::move(sentence));
}

std::string line_of(const JsonNode& node, const std::string& pointer, Diagnostics& faults) {
  const bool line = node.kind == Kind::text && !node.text().empty() &&
                    std::none_of(node.text().begin(), node.text().end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (line) return node.text();
  faults.add(node.place, pointer,
             "expected a text of one line that is not empty, got " + shown(node) + ".");
  return "";
}

std::string StrictObject::text(std::string_view key, Presence presence) {
  const JsonNode* found = member(key, presence, "a text of one line");
  return found ? line_of(*found, pointer(key), faults_) : "";
}

std::vector<std::string> StrictObject::texts(std::string_view key, Presence presence) {
  std::vector<std::string> all;
  const JsonNode* items = list(key, presence);
  if (!items) return all;
  for (std::size_t i = 0; i < items->items.size(); ++i)
    if (std::string line = line_of(items->items[i], child_pointer(pointer(key), i), faults_);
        !line.empty())
      all.push_back(std::move(line));
  return all;
}

const JsonNode* StrictObject::list(std::string_view key, Presence presence) {
  const JsonNode* found = member(key, presence, "a list");
  if (!found) return nullptr;
  if (found->kind == Kind::array && !found->items.empty()) return found;
  fault(key, "expected a list that is not empty, got " +
                 (found->kind == Kind::array ? "an empty one" : shown(*found)) + ".");
  return nullptr;
}

std::optional<double> StrictObject::number(std::string_view key, double low, double high) {
  const JsonNode* found = find(key);
  if (!found) return std::nullopt;
  const auto value = number_of(*found);
  if (value && *value >= low && *value <= high) return value;
  fault(key, "expected a number from " + bound_text(low) + " to " + bound_text(high) + ", got " +
                 (value ? bound_text(*value) : shown(*found)) + ".");
  return std::nullopt;
}

std::optional<std::uint64_t> StrictObject::integer(std::string_view key, std::uint64_t low,
                                                   std::uint64_t high) {
  const JsonNode* found = find(key);
  if (!found) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->scalar);
  if (value && *value >= 0 && std::uint64_t(*value) >= low && std::uint64_t(*value) <= high)
    return static_cast<std::uint64_t>(*value);
  const auto number = number_of(*found);
  fault(key, "expected an integer from " + std::to_string(low) + " to " + std::to_string(high) +
                 ", got " + (number ? bound_text(*number) : shown(*found)) + ".");
  return std::nullopt;
}

bool StrictObject::flag(std::string_view key) {
  const JsonNode* found = find(key);
  if (!found) return false;
  if (const auto* value = std::get_if<bool>(&found->scalar)) return *value;
  fault(key, "expected true or false, got " + shown(*found) + ".");
  return false;
}

std::string StrictObject::choice_name(std::string_view key, const std::vector<std::string>& names,
                                      Presence presence) {
  std::string expected = "one of";
  for (const std::string& name : names)
    expected += (name == names.front() ? " " : ", ") + name;
  const JsonNode* found = member(key, presence, expected);
  if (!found) return "";
  if (found->kind == Kind::text &&
      std::find(names.begin(), names.end(), found->text()) != names.end())
    return found->text();
  std::string sentence = "expected " + expected + ", got " + shown(*found) + ".";
  if (found->kind == Kind::text) sentence += did_you_mean(found->text(), names);
  fault(key, std::move(sentence));
  return "";
}

}  // namespace vacancy
