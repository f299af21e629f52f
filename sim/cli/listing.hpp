// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "sim/registry/entry.hpp"

namespace vacancy {

/// A kind of thing that a scenario can name, and what there is of it.
struct Listing {
  std::string_view kind, summary;
  std::vector<EntryInfo> (*entries)();
  /// The file of the built-in thing of that name, to copy and change; null where there are none. An
  /// unknown name is a UserError.
  std::string_view (*file)(std::string_view name) = nullptr;
};
std::span<const Listing> listings();

/// name, summary, citation where there is one, and parameters (contract §1).
nlohmann::ordered_json to_json(const EntryInfo& entry);

/// "integer from 1 to 64, default 16": a parameter's values in short.
std::string value_text(const Parameter& parameter);

}  // namespace vacancy
