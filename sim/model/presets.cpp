// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/model/embedded_presets.hpp"
#include "sim/model/model_file.hpp"
#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const EmbeddedPreset& preset : embedded_presets())
    names.emplace_back(preset.name);
  return names;
}

std::string_view preset_text(std::string_view name) {
  const auto presets = embedded_presets();
  const auto found = std::ranges::find(presets, name, &EmbeddedPreset::name);
  if (found != presets.end()) return found->text;

  const auto names = preset_names();
  std::string known;
  for (const std::string& each : names)
    known += (known.empty() ? "" : ", ") + each;
  throw UserError("There is no built-in model \"" + std::string(name.substr(0, 60)) + "\"." +
                  did_you_mean(name, names) + " Built in: " + known +
                  ". Other models are given as a file or an inline object.");
}

ModelGeometry preset(std::string_view name) {
  const std::string_view text = preset_text(name);
  return model_from_json(nlohmann::json::parse(text), std::string(name) + ".json: ");
}

}  // namespace vacancy
