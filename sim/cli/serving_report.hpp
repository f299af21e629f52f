// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "sim/metrics/summary.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// "Not finished: …"
std::string stop_sentence(const std::string& reason);

/// The report of a run of an engine, for people. `stop_reason`: why it ended early; empty if not.
void print_serving_report(std::ostream& out, const Scenario& scenario, const Summary& summary,
                          const std::string& stop_reason, std::size_t columns);

}  // namespace vacancy
