// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "sim/cli/console.hpp"
#include "sim/workload/trace/trace.hpp"
#include "sim/workload/trace/writer.hpp"

namespace vacancy {

/// The options of commands that write a trace.
struct TraceOutput {
  std::string file, to;
  std::vector<std::string> drop;
  bool unshared_blocks = false;

  /// `default_target` empty: --to is required.
  void add_to(CLI::App& command, const std::string& default_target);

  const TraceTargetEntry& target() const { return named_trace_target(to); }
  /// Writes the whole trace beside the file, which it then replaces; tells on the error stream what
  /// was lost. Throws UserError, with the file as it was, if something is wrong with the trace or
  /// would be lost that may not be.
  void write(TraceReader& trace, const TraceTargetEntry& target, const Console& console) const;
};

}  // namespace vacancy
