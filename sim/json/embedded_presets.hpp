// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vacancy {

/// A file of a presets/ folder, compiled in so that the programs need no data folder.
struct EmbeddedPreset {
  std::string_view name;  // file name without its extension
  std::string_view text;
};

std::vector<std::string> names_of(std::span<const EmbeddedPreset> presets);

/// The text of the preset with this name. An unknown name is a UserError that calls the thing
/// `what` ("model") and lists all presets.
std::string_view text_of(std::span<const EmbeddedPreset> presets, std::string_view name,
                         std::string_view what);

}  // namespace vacancy
