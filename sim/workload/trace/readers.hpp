// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/workload/trace/line_reader.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

// One a file. The reader's next line is the first of the trace.

std::unique_ptr<TraceReader> read_mooncake(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_bailian(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_claude_code(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_llmservingsim(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_azure(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_burstgpt(std::unique_ptr<LineReader>, const TraceOptions&);
std::unique_ptr<TraceReader> read_csv(std::unique_ptr<LineReader>, const TraceOptions&);

}  // namespace vacancy
