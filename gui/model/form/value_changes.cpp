// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/value_changes.hpp"

#include <algorithm>
#include <utility>

#include "gui/model/form/field_entry.hpp"
#include "sim/scenario/draft.hpp"

namespace vacancy::gui {

namespace {

using Leaf = std::pair<std::string, std::string>;  // path, entry

/// Objects are walked through; an empty one is a value like any other.
void collect(const JsonNode& node, const std::string& path, std::vector<Leaf>& leaves) {
  if (node.kind != JsonNode::Kind::object || (node.members.empty() && !path.empty())) {
    leaves.emplace_back(path,
                        node.kind == JsonNode::Kind::null ? std::string("null") : entry_of(node));
    return;
  }
  for (const JsonMember& member : node.members)
    collect(member.value, path.empty() ? member.key : path + '.' + member.key, leaves);
}

const Leaf* find(const std::vector<Leaf>& leaves, const std::string& path) {
  const auto found = std::find_if(leaves.begin(), leaves.end(),
                                  [&](const Leaf& leaf) { return leaf.first == path; });
  return found == leaves.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ValueChange> value_changes(std::string_view file_text,
                                       const std::optional<JsonNode>& now) {
  Diagnostics ignored("");
  const auto file = parse_scenario(file_text, 0, ignored);
  std::vector<ValueChange> changes;
  if (!file || !now) return changes;
  std::vector<Leaf> before, after;
  collect(*file, "", before);
  collect(*now, "", after);
  for (const Leaf& leaf : after) {
    const Leaf* old = find(before, leaf.first);
    if (!old || old->second != leaf.second)
      changes.push_back({leaf.first, old ? old->second : "", leaf.second});
  }
  for (const Leaf& leaf : before)
    if (!find(after, leaf.first)) changes.push_back({leaf.first, leaf.second, ""});
  return changes;
}

}  // namespace vacancy::gui
