// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/registry/entry.hpp"
#include "sim/workload/trace/line_reader.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

struct TraceFormatEntry {
  EntryInfo info;
  /// Names that the first line of such a file has: members of its object, or columns.
  std::vector<std::string_view> marks;
  /// What a request can say besides times and lengths.
  bool block_keys = false, token_ids = false;
  std::unique_ptr<TraceReader> (*open)(std::unique_ptr<LineReader>, const TraceOptions&) = nullptr;
};

std::span<const TraceFormatEntry> trace_formats();
/// The entry of that name, or null.
const TraceFormatEntry* find_trace_format(std::string_view name);
/// The same; throws UserError with the nearest name if there is none.
const TraceFormatEntry& named_trace_format(std::string_view name);

}  // namespace vacancy
