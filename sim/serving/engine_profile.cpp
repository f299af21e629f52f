// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/engine_profile.hpp"

#include <algorithm>
#include <vector>

#include "sim/serving/embedded_profiles.hpp"
#include "sim/serving/profile_file.hpp"

namespace vacancy {

std::vector<std::string> engine_profile_names() {
  return names_of(embedded_profiles());
}

std::string_view engine_profile_text(std::string_view name) {
  return text_of(embedded_profiles(), name, "engine profile");
}

EngineProfile engine_profile(std::string_view name) {
  EngineProfile profile =
      engine_profile_from_text(engine_profile_text(name), std::string(name) + ".json");
  profile.name = name;
  return profile;
}

std::span<const EngineProfile> engine_profiles() {
  static const std::vector<EngineProfile> profiles = [] {
    std::vector<EngineProfile> all;
    for (const std::string& name : engine_profile_names())
      all.push_back(engine_profile(name));
    return all;
  }();
  return profiles;
}

const EngineProfile* find_engine_profile(std::string_view name) {
  const auto profiles = engine_profiles();
  const auto found = std::ranges::find(profiles, name, &EngineProfile::name);
  return found == profiles.end() ? nullptr : &*found;
}

}  // namespace vacancy
