// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"
#include "sim/cli/console.hpp"

namespace vacancy {

struct VerifyFiles {
  std::vector<std::string> files;
  ScenarioOverrides overrides;
  std::string backend = "cpu";
  std::string reproduce;  // where the smallest run that differs goes; empty: nowhere
  verify::VerifyOptions verify;
  bool json = false;
};

/// Verifies scenario files up to the first difference, and reports; the exit code.
int verify_files(const VerifyFiles& options, const Console& console);

}  // namespace vacancy
