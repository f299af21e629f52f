// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/draft.hpp"

#include "sim/scenario/json_document.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/value_reader.hpp"

namespace vacancy {

Scenario load_scenario(const std::filesystem::path& file, const ScenarioOverrides& overrides) {
  return load_scenario_text(read_text_file(file), file.string(), file.parent_path(), overrides);
}

Scenario load_scenario_text(std::string_view text, const std::string& name,
                            const std::filesystem::path& folder,
                            const ScenarioOverrides& overrides) {
  Diagnostics faults(name, folder);
  auto root = parse_scenario(text, 0, faults);
  if (!root) faults.throw_if_any();
  apply_overrides(overrides.assignments, *root, faults);
  auto scenario = resolve_scenario(*root, overrides.seed, faults);
  faults.throw_if_any();
  return std::move(*scenario);
}

std::optional<JsonNode> parse_scenario(std::string_view text, std::uint32_t origin,
                                       Diagnostics& faults) {
  auto root = parse_json(text, origin, faults);
  if (!root || root->kind == JsonNode::Kind::object) return root;
  faults.add(root->place, "",
             "a scenario is an object {…}, not " + std::string(kind_name(root->kind)) + ".");
  return std::nullopt;
}

std::optional<Scenario> resolve_scenario(const JsonNode& root, std::optional<std::uint64_t> seed,
                                         Diagnostics& faults) {
  ScenarioValues values = read_values(root, faults);
  if (seed) values[""].values["seed"] = static_cast<std::int64_t>(*seed);
  Scenario scenario = Resolver(root, std::move(values), faults).resolve();
  if (!faults.empty()) return std::nullopt;
  if (scenario.obstacle)
    scenario.notes.push_back(*scenario.obstacle + " The scenario was checked without it.");
  return scenario;
}

}  // namespace vacancy
