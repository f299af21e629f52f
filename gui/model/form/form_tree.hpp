// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/model/form/scenario_check.hpp"
#include "sim/scenario/schema.hpp"

namespace vacancy::gui {

/// A key of the scenario as a form shows it. Type, unit, range, choices, default and help are the
/// schema's.
struct FormField {
  const SchemaKey* key = nullptr;
  std::string path, pointer;  // "eviction.budget", "/eviction/budget"
};

/// An object of the scenario. The sections of the schema, in its order.
struct FormSection {
  const SchemaSection* schema = nullptr;
  std::string path, pointer;
  std::string chooser;  // the path of the key that chooses this section; empty: always used
  std::vector<FormField> fields;
  std::vector<FormSection> sections;
};

/// The form of all scenarios.
const FormSection& form_tree();

/// The keys of a length in object form, "workload.prompt_tokens", as that distribution has them;
/// without fields if there is no such distribution.
FormSection length_section(const FormField& field, std::string_view distribution);

/// All fields of a section and of those in it.
std::vector<const FormField*> all_fields(const FormSection& section);

/// Whether the scenario reads this section: the key that chooses it names it, in the file, by
/// default or by what the method brings itself.
bool is_used(const FormSection& section, const CheckedScenario& scenario);

/// What the key has: its value in the file, else what the scenario resolved it to, else its
/// default.
std::string effective_entry(const FormField& field, const CheckedScenario& scenario);

}  // namespace vacancy::gui
