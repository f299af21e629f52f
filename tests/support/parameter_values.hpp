// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>

#include "sim/registry/entry.hpp"

namespace vacancy::test {

/// The values of a component: its defaults, with some replaced.
inline ParameterValues values_of(const EntryInfo& info, const ParameterValues& changes = {}) {
  ParameterValues values;
  for (const Parameter& parameter : info.parameters)
    values[parameter.name] = parameter.default_value;
  for (const auto& [name, value] : changes) {
    REQUIRE(values.count(name) == 1);
    values[name] = value;
  }
  return values;
}

}  // namespace vacancy::test
