// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sim/run_log/run_log.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// The workload of a log with the arrivals that the log measured instead of those that the
/// workload asked for. A row whose lengths differ from the log's is a UserError: another workload.
std::unique_ptr<TraceReader> with_measured_arrivals(std::unique_ptr<TraceReader> workload,
                                                    const RunLog& log);

}  // namespace vacancy
