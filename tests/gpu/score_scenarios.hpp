// SPDX-License-Identifier: Apache-2.0
// Small random runs of the policies whose scores kernels compute.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"

namespace vacancy::test {

/// A policy, and values to draw from of its options.
struct Method {
  std::string policy;
  std::vector<nlohmann::json> options;
  bool blocks = false;  // whole ones stay, whatever the reclaimer
};
std::vector<Method> scoring_methods();

/// A scenario on a small model whose attention follows made statistics.
nlohmann::json scenario_of(const Method& method, std::uint32_t seed);

verify::VerifyResult verified(const nlohmann::json& scenario, gpu::Device& device,
                              const verify::VerifyOptions& options = {});

}  // namespace vacancy::test
