// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/named_things.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "sim/scenario/named_object.hpp"
#include "sim/scenario/path_resolver.hpp"

namespace vacancy {

namespace {

template <class Thing>
Thing thing_of_argument(const std::string& argument, const std::string& option,
                        std::optional<Thing> (*named)(const JsonNode&, const std::string&,
                                                      Diagnostics&)) {
  Diagnostics faults("");
  JsonNode root;
  root.kind = JsonNode::Kind::object;
  root.place.origin = faults.add_option(option, argument);
  const std::string name =
      is_file_name(argument) ? anchored_path(argument, std::filesystem::current_path()) : argument;
  auto read = named(root, name, faults);
  faults.throw_if_any();
  return std::move(*read);
}

std::string letters_and_digits(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
  }
  return text;
}

}  // namespace

ModelGeometry model_of_argument(const std::string& argument) {
  return thing_of_argument<ModelGeometry>(argument, "--model", named_model);
}

Device device_of_argument(const std::string& argument) {
  return thing_of_argument<Device>(argument, "--device", named_device);
}

EngineProfile engine_of_argument(const std::string& argument) {
  return thing_of_argument<EngineProfile>(argument, "--profile", named_engine);
}

std::string name_within(const std::string& longer, const std::vector<std::string>& names) {
  const std::string text = letters_and_digits(longer);
  std::string best;
  for (const std::string& name : names)
    if (name.size() > best.size() && text.find(letters_and_digits(name)) != std::string::npos)
      best = name;
  return best;
}

}  // namespace vacancy
