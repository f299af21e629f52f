// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "sim/sweep/run_record.hpp"
#include "sim/sweep/shared_sources.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy {

/// Runs single runs of a sweep, from any thread.
class PointRunner {
 public:
  explicit PointRunner(const Sweep& sweep) : sweep_(sweep) {}

  /// Nothing if `stop` came to be true on the way. Throws UserError where the sweep cannot go on:
  /// its data are not here.
  std::optional<RunRecord> run(std::uint64_t index, const std::function<bool()>& stop);

 private:
  const Sweep& sweep_;
  SharedSources sources_;
};

/// The scenario of a run; nothing where the combination is refused.
std::optional<Scenario> scenario_of_run(const Sweep& sweep, std::uint64_t index,
                                        Diagnostics& faults);

/// What a refused combination says: the first fault and how many more there are.
std::string reason_of(const Diagnostics& faults);

}  // namespace vacancy
