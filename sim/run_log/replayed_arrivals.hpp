// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sim/registry/parameter.hpp"
#include "sim/run_log/run_log.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// Which stamp of a log counts as a request's arrival.
enum class MeasuredArrival {
  arrived,
  /// An ablation: the engine stamps it when it next looks, at the end of a step of its own.
  queued
};

template <>
struct EnumNames<MeasuredArrival> {
  static constexpr EnumName<MeasuredArrival> table[] = {{MeasuredArrival::arrived, "arrived"},
                                                        {MeasuredArrival::queued, "queued"}};
};

/// The workload of a log with the arrivals that the log measured instead of those that the
/// workload asked for. A row whose lengths differ from the log's is a UserError: another workload.
std::unique_ptr<TraceReader> with_measured_arrivals(
    std::unique_ptr<TraceReader> workload, const RunLog& log,
    MeasuredArrival arrival = MeasuredArrival::arrived);

}  // namespace vacancy
