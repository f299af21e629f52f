// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/scenario/schema.hpp"

namespace vacancy {

/// The values of one section, every default filled in.
struct SectionValues {
  bool written = false;  // stands in the file or an override
  ParameterValues values;
};

/// Sections by dotted path; the top is "". A length in object form is a section of its own,
/// "workload.prompt_tokens", and std::monostate in the section around it; so is an inline model,
/// whose members stay in the tree.
using ScenarioValues = std::map<std::string, SectionValues, std::less<>>;

/// Checks a tree against the schema: keys, types, ranges, choices. Faulty values are reported and
/// stand as their defaults.
ScenarioValues read_values(const JsonNode& root, Diagnostics& faults);

/// Checks an object that holds the parameters of one registered entry, called `name` in messages;
/// what is not written has its default.
ParameterValues read_parameters(const JsonNode& object, const std::string& name,
                                const std::vector<Parameter>& parameters, Diagnostics& faults);

/// A parameter's value as JSON spells it.
nlohmann::ordered_json plain_json(const ParameterValue& value);

}  // namespace vacancy
