// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"

namespace vacancy::test {

inline Scenario load(const std::string& text, std::vector<std::string> assignments = {}) {
  return load_scenario_text(text, "test.json", ".", {std::move(assignments), std::nullopt});
}

/// The message of the UserError, or nothing.
inline std::string fault_of(const std::string& text, std::vector<std::string> assignments = {}) {
  try {
    load(text, std::move(assignments));
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

inline const std::string evict_14k_of_16k = R"({
  // One set for the whole model, so that blocks can become empty at all.
  "description": "Evicts 14,000 of 16,000 tokens at random.",
  "cache": {"block_size": 16},
  "eviction": {"policy": "random", "scope": "model", "budget": 2000, "trigger": "once"},
  "workload": {"output_tokens": 16000}
})";

}  // namespace vacancy::test
