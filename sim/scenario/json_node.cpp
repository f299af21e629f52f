// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/json_node.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace vacancy {

namespace {

std::string unescape(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escaped = token[i] == '~' && i + 1 < token.size();
    key += !escaped ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return key;
}

/// The deepest existing node on the way along `pointer`; `whole` tells whether the way ended.
const JsonNode& walk(const JsonNode& root, std::string_view pointer, bool& whole) {
  const JsonNode* node = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const JsonNode* next = nullptr;
    if (node->kind == JsonNode::Kind::array) {
      std::size_t index = node->items.size();
      std::from_chars(token.data(), token.data() + token.size(), index);
      if (index < node->items.size()) next = &node->items[index];
    } else {
      next = node->find(unescape(token));
    }
    if (!next) {
      whole = false;
      return *node;
    }
    node = next;
  }
  whole = true;
  return *node;
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const JsonMember& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

JsonNode* JsonNode::find(std::string_view key) {
  return const_cast<JsonNode*>(std::as_const(*this).find(key));
}

std::string child_pointer(std::string_view pointer, std::string_view key) {
  std::string child(pointer);
  child += '/';
  for (const char c : key) {
    if (c == '~')
      child += "~0";
    else if (c == '/')
      child += "~1";
    else
      child += c;
  }
  return child;
}

std::string child_pointer(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + '/' + std::to_string(index);
}

const JsonNode* find_node(const JsonNode& root, std::string_view pointer) {
  bool whole = false;
  const JsonNode& node = walk(root, pointer, whole);
  return whole ? &node : nullptr;
}

Place place_of(const JsonNode& root, std::string_view pointer) {
  bool whole = false;
  return walk(root, pointer, whole).place;
}

std::string_view kind_name(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::boolean:
      return "a boolean";
    case JsonNode::Kind::integer:
      return "an integer";
    case JsonNode::Kind::number:
      return "a number with a fraction or exponent";
    case JsonNode::Kind::text:
      return "a text";
    case JsonNode::Kind::array:
      return "an array";
    case JsonNode::Kind::object:
      return "an object";
  }
  return "";
}

}  // namespace vacancy
