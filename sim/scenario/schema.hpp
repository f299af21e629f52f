// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What the value of a key may be, beside what its parameter's type says.
enum class ValueForm {
  plain,
  integer_or_word,  // an integer, or one of parameter.choices
  size,             // bytes: an integer, or a text with a unit
  length,           // tokens: an integer, or an object that names a length distribution
  model,            // a built-in model or a file (text), or an inline object
  device,           // likewise
  engine,           // likewise; the built-in ones are parameter.choices
};

struct SchemaKey {
  Parameter parameter;
  ValueForm form = ValueForm::plain;
};

/// An object of the scenario. The strict reader, the resolved scenario, the JSON Schema and the
/// reference page all follow this one tree.
struct SchemaSection {
  std::string name;  // empty for the top
  std::string summary;
  std::vector<SchemaKey> keys;
  std::vector<SchemaSection> sections;
  /// "policy": the section is used where that key of the section around it has this section's name
  /// as value, and only checked elsewhere. Empty: always used.
  std::string chosen_by;

  const SchemaKey* key(std::string_view name) const;
  const SchemaSection* section(std::string_view name) const;
  /// Names of keys and sections, in order.
  std::vector<std::string_view> names() const;
};

const SchemaSection& scenario_schema();

/// The object form of a length: the key `distribution` and the parameters of one distribution.
/// One section for each registered distribution, named after it.
const std::vector<SchemaSection>& length_forms();

/// "an integer from 1 to 4096", "one of full, random": what the key's value may be.
std::string expectation(const SchemaKey& key);

/// A bound without a needless fraction or exponent: "4096", "0.98".
std::string bound_text(double bound);

}  // namespace vacancy
