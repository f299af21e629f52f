// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/model_choice.hpp"

#include <nlohmann/json.hpp>

#include "sim/model/model_file.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// Gives each line of a message about a model object, "/key: sentence", its place.
void add_model_faults(const std::string& message, const JsonNode& object,
                      const std::string& pointer, Diagnostics& faults) {
  std::size_t start = 0;
  while (start < message.size()) {
    const std::size_t end = std::min(message.find('\n', start), message.size());
    const std::string line = message.substr(start, end - start);
    start = end + 1;
    const std::size_t colon = line.find(": ");
    if (line.front() != '/' || colon == std::string::npos) {
      faults.add(object.place, pointer, line);
      continue;
    }
    const std::string inner = line.substr(0, colon);
    faults.add(place_of(object, inner), pointer + inner, line.substr(colon + 2));
  }
}

std::optional<ModelGeometry> read_model(const JsonNode& object, const std::string& pointer,
                                        Diagnostics& faults) {
  try {
    return model_from_json(nlohmann::json(to_json(object)), "");
  } catch (const UserError& error) {
    add_model_faults(error.what(), object, pointer, faults);
    return std::nullopt;
  }
}

}  // namespace

nlohmann::ordered_json to_json(const JsonNode& node) {
  using Kind = JsonNode::Kind;
  switch (node.kind) {
    case Kind::null:
      return nullptr;
    case Kind::array: {
      auto array = nlohmann::ordered_json::array();
      for (const JsonNode& item : node.items)
        array.push_back(to_json(item));
      return array;
    }
    case Kind::object: {
      auto object = nlohmann::ordered_json::object();
      for (const JsonMember& member : node.members)
        object[member.key] = to_json(member.value);
      return object;
    }
    case Kind::integer:
      // An unsigned number where it is not negative, as the parser of the model layer would read
      // it.
      if (const auto* value = std::get_if<std::int64_t>(&node.scalar); value && *value >= 0)
        return static_cast<std::uint64_t>(*value);
      [[fallthrough]];
    default:
      return std::visit(
          [](const auto& value) -> nlohmann::ordered_json {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
              return nullptr;
            else
              return value;
          },
          node.scalar);
  }
}

std::optional<ModelGeometry> named_model(const JsonNode& root, const std::string& name,
                                         Diagnostics& faults) {
  const std::string pointer = "/model";
  const JsonNode* node = root.find("model");
  if (name.empty()) return read_model(*node, pointer, faults);
  try {
    if (!is_shared_path(name) && !std::filesystem::path(name).is_absolute()) return preset(name);

    const std::string text = read_text_file(located_path(name));
    const std::uint32_t origin = faults.add_file(located_path(name).string());
    const auto file = parse_json(text, origin, faults);
    return file ? read_model(*file, "", faults) : std::nullopt;
  } catch (const UserError& error) {
    faults.add(node ? node->place : root.place, pointer, error.what());
    return std::nullopt;
  }
}

AttentionShape attention_shape(const ModelGeometry& model) {
  return {model.kv_layers(), model.query_heads, model.kv_heads, model.head_dim};
}

/// What a source without vectors gets; only bytes depend on it.
constexpr std::uint32_t usual_head_dim = 128;

nlohmann::ordered_json model_json_of_shape(const AttentionShape& shape, const std::string& source) {
  return {{"name", "The model of attention source " + source},
          {"layers", shape.layers},
          {"query_heads", shape.query_heads},
          {"kv_heads", shape.kv_heads},
          {"head_dim", shape.head_dim > 0 ? shape.head_dim : usual_head_dim}};
}

ModelGeometry model_of_shape(const AttentionShape& shape, const std::string& source) {
  return model_from_json(nlohmann::json(model_json_of_shape(shape, source)), "attention." + source);
}

std::string shape_text(const AttentionShape& shape) {
  return std::to_string(shape.layers) + " layers of " + std::to_string(shape.query_heads) +
         " query heads and " + std::to_string(shape.kv_heads) + " KV heads of " +
         std::to_string(shape.head_dim) + " numbers";
}

TableSpan table_span(TableKind table) {
  switch (table) {
    case TableKind::shared:
      return TableSpan::model;
    case TableKind::per_layer:
      return TableSpan::layer;
    case TableKind::per_layer_per_head:
      return TableSpan::head;
  }
  return TableSpan::model;
}

}  // namespace vacancy
