// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/model/embedded_models.hpp"
#include "sim/model/model_file.hpp"

namespace vacancy {

std::vector<std::string> preset_names() {
  return names_of(embedded_models());
}

std::string_view preset_text(std::string_view name) {
  return text_of(embedded_models(), name, "model");
}

ModelGeometry preset(std::string_view name) {
  return model_from_json(nlohmann::json::parse(preset_text(name)), std::string(name) + ".json: ");
}

}  // namespace vacancy
