// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/object_at.hpp"

#include <utility>
#include <vector>

#include "sim/scenario/named_object.hpp"
#include "sim/scenario/object_faults.hpp"
#include "sim/sweep/sweep_keys.hpp"

namespace vacancy {

namespace {

nlohmann::json object_of(const JsonNode& node, const std::string& pointer, Diagnostics& faults) {
  if (node.kind == JsonNode::Kind::object) return to_json(node);
  faults.add(node.place, pointer,
             "expected an object {…}, got " + std::string(kind_name(node.kind)) + ".");
  return nlohmann::json::object();
}

}  // namespace

ObjectAt::ObjectAt(const JsonNode& node, std::string pointer, std::string_view place,
                   Diagnostics& faults)
    : node_(node),
      pointer_(std::move(pointer)),
      faults_(faults),
      json_(object_of(node, pointer_, faults)),
      reader_(json_, "") {
  std::vector<std::string_view> names;
  for (const FileKey& key : sweep_keys(place))
    names.push_back(key.name);
  reader_.refuse_unknown(names);
}

ObjectAt::~ObjectAt() {
  add_object_faults(reader_.faults(), node_, pointer_, faults_);
}

const JsonNode* ObjectAt::list(std::string_view key, const std::string& of_what) {
  const JsonNode* member = find(key);
  if (!member) return nullptr;
  if (member->kind == JsonNode::Kind::array && !member->items.empty()) return member;
  fault(key, member->kind == JsonNode::Kind::array
                 ? "is empty; it needs at least one of its " + of_what + '.'
                 : "expected a list of " + of_what + ", got " +
                       std::string(kind_name(member->kind)) + '.');
  return nullptr;
}

void ObjectAt::fault(std::string_view key, std::string sentence) {
  const JsonNode* member = find(key);
  faults_.add(member ? member->place : node_.place, pointer(key), std::move(sentence));
}

}  // namespace vacancy
