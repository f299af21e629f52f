// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>

#include "sim/workload/trace/writer.hpp"

namespace vacancy {

// One a file.

std::unique_ptr<TraceWriter> write_mooncake(const TraceInfo& source, const TraceWriterOptions&,
                                            std::ostream&);
std::unique_ptr<TraceWriter> write_llmservingsim(const TraceInfo& source, const TraceWriterOptions&,
                                                 std::ostream&);
std::unique_ptr<TraceWriter> write_csv(const TraceInfo& source, const TraceWriterOptions&,
                                       std::ostream&);

}  // namespace vacancy
