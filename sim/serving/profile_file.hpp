// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/file_key.hpp"
#include "sim/serving/engine_profile.hpp"

namespace vacancy {

/// Reads an engine profile strictly: types, ranges, unknown keys, choices that contradict each
/// other. What it does not say is as in its base, a built-in profile. `place` is what stands before
/// a key in a message, such as "my_engine.json: ". Throws one UserError with a line for each fault.
EngineProfile engine_profile_from_json(const nlohmann::json& json, const std::string& place);
/// The same from the text of a file of this name.
EngineProfile engine_profile_from_text(std::string_view text, const std::string& file);

std::span<const FileKey> engine_profile_keys();

/// Built-in profiles, sorted.
std::vector<std::string> engine_profile_names();
/// A built-in profile; an unknown name is a UserError that lists them.
EngineProfile engine_profile(std::string_view name);
/// The built-in profile as its file is written, to copy and change.
std::string_view engine_profile_text(std::string_view name);

}  // namespace vacancy
