// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/named_object.hpp"

#include <filesystem>

#include "sim/device/device_file.hpp"
#include "sim/model/model_file.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/scenario/object_faults.hpp"
#include "sim/scenario/path_resolver.hpp"
#include "sim/serving/profile_file.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// How a kind of thing is read.
template <class Thing>
struct Reading {
  const char* pointer;  // of the key that names it
  const char* listing;  // of the built-in ones
  Thing (*preset)(std::string_view name);
  Thing (*from_json)(const nlohmann::json& json, const std::string& place);
};

template <class Thing>
std::optional<Thing> read_object(const Reading<Thing>& reading, const JsonNode& object,
                                 const std::string& pointer, Diagnostics& faults) {
  try {
    return reading.from_json(nlohmann::json(to_json(object)), "");
  } catch (const UserError& error) {
    add_object_faults(error.what(), object, pointer, faults);
    return std::nullopt;
  }
}

template <class Thing>
std::optional<Thing> named(const Reading<Thing>& reading, const JsonNode& root,
                           const std::string& name, Diagnostics& faults) {
  const std::string pointer = reading.pointer;
  const JsonNode* node = find_node(root, pointer);
  if (name.empty()) return read_object(reading, *node, pointer, faults);
  try {
    if (!is_shared_path(name) && !std::filesystem::path(name).is_absolute())
      return reading.preset(name);

    const std::filesystem::path path = located_path(name);
    std::error_code unreadable;
    if (std::filesystem::status(path, unreadable).type() == std::filesystem::file_type::not_found)
      throw UserError(path.string() +
                      ": no such file. The built-in ones have no path: vacancy list " +
                      reading.listing + ".");
    const std::string text = read_text_file(path);
    const std::uint32_t origin = faults.add_file(path.string());
    const auto file = parse_json(text, origin, faults);
    return file ? read_object(reading, *file, "", faults) : std::nullopt;
  } catch (const UserError& error) {
    faults.add(node ? node->place : root.place, pointer, error.what());
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
  return named<ModelGeometry>({"/model", "models", preset, model_from_json}, root, name, faults);
}

std::optional<Device> named_device(const JsonNode& root, const std::string& name,
                                   Diagnostics& faults) {
  return named<Device>({"/device", "devices", device_preset, device_from_json}, root, name, faults);
}

std::optional<EngineProfile> named_engine(const JsonNode& root, const std::string& name,
                                          Diagnostics& faults) {
  return named<EngineProfile>(
      {"/engine/profile", "engines", engine_profile, engine_profile_from_json}, root, name, faults);
}

}  // namespace vacancy
