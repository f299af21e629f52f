// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tests/gpu/verify_faults.hpp"

namespace vacancy::test {

/// Scenarios by name, small ones, that have all operations together.
const std::map<std::string, std::string>& small_scenarios();

/// One of them, verified.
verify::VerifyResult verified_small(const std::string& scenario, gpu::Device& device,
                                    const verify::VerifyOptions& options = {});
/// The fault's, with the fault; `planted` becomes true once it happens.
verify::VerifyResult verified_with(const PlantedFault& fault, gpu::Device& device, bool& planted);

}  // namespace vacancy::test
