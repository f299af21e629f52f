// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/verify/verifier.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy::verify {

struct VerifyOptions {
  VerifierOptions verifier;
  /// Puts an observer between the run and the verifier, which spoils events: for tests.
  std::function<std::unique_ptr<Observer>(Observer& verifier)> between;
};

struct VerifyResult {
  VerifierCounts counts;
  SelectionCounts selections;           // keep sets chosen anew by kernels
  std::uint32_t layers = 0, heads = 0;  // held in memory; 0: no content was followed
  std::optional<Difference> difference;
  /// What was not verified, a sentence each.
  std::vector<std::string> notes;
  std::string stop_reason;  // of a run that did not finish its work
  bool cancelled = false;
};

/// Runs a scenario and verifies it up to the first difference. `go_on(done, planned)` hears after
/// every step how far the run is, and may end it. Throws UserError where the scenario cannot run,
/// or is the replay of a prefix cache, which has nothing to verify.
VerifyResult verify_scenario(const Scenario& scenario, gpu::Device& device,
                             const VerifyOptions& options,
                             const std::function<bool(std::uint64_t, std::uint64_t)>& go_on);

/// The smallest run that still differs: sequences or requests, then lengths, each found by
/// bisection. Arguments for `load`, in addition to `overrides`, with which the scenario differs;
/// `load` throws UserError where a key forbids another's value.
ScenarioOverrides smallest_difference(const std::function<Scenario(const ScenarioOverrides&)>& load,
                                      const ScenarioOverrides& overrides,
                                      const std::function<bool(const Scenario&)>& differs);

}  // namespace vacancy::verify
