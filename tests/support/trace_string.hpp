// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/prefix/reference_string.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy::test {

/// The blocks of a trace, in the order in which its requests are served.
inline ReferenceString trace_string(const std::filesystem::path& path, const BlockSplit& split,
                                    NestedTime nested_time = NestedTime::as_written) {
  TraceOptions options;
  options.nested_time = nested_time;
  const auto reader = open_trace(path, options);
  ReferenceString string(split);
  for (TraceRequest request; reader->next(request);)
    string.add({request.block_keys, request.prompt_tokens, request.arrival, 0});
  return string;
}

}  // namespace vacancy::test
