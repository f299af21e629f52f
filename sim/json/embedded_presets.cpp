// SPDX-License-Identifier: Apache-2.0
#include "sim/json/embedded_presets.hpp"

#include <algorithm>

#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

std::vector<std::string> names_of(std::span<const EmbeddedPreset> presets) {
  std::vector<std::string> names;
  for (const EmbeddedPreset& preset : presets)
    names.emplace_back(preset.name);
  return names;
}

std::string_view text_of(std::span<const EmbeddedPreset> presets, std::string_view name,
                         std::string_view what) {
  const auto found = std::ranges::find(presets, name, &EmbeddedPreset::name);
  if (found != presets.end()) return found->text;

  const auto names = names_of(presets);
  std::string known;
  for (const std::string& each : names)
    known += (known.empty() ? "" : ", ") + each;
  throw UserError("There is no built-in " + std::string(what) + " \"" +
                  std::string(name.substr(0, 60)) + "\"." + did_you_mean(name, names) +
                  " Built in: " + known + ". Other " + std::string(what) +
                  "s are given as a file or an inline object.");
}

}  // namespace vacancy
