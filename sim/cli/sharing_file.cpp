// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sharing_file.hpp"

#include <filesystem>

#include "sim/metrics/sharing_export.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using Writer = void (*)(std::ostream& out, const SharingGraph& graph);

Writer writer_for(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension();
  if (ending == ".dot") return write_dot;
  if (ending == ".graphml") return write_graphml;
  throw UserError("--sharing " + in_quotes(file) +
                  ": the name says no format. End it in .dot or .graphml.");
}

}  // namespace

void check_sharing(const std::string& file, const Scenario& scenario) {
  writer_for(file);
  const bool engine =
      scenario.serving && scenario.serving->scheduler == SchedulerKind::continuous_batching;
  if (!engine)
    throw UserError(
        "--sharing draws what the prefix index of an engine holds after a run under "
        "continuous_batching; this scenario has none. Leave it out.");
  if (scenario.serving->config.engine.contiguous ||
      scenario.serving->prefix.index == PrefixIndex::none)
    throw UserError(
        "--sharing draws what a prefix index holds; this scenario has none. Leave it out, or set "
        "prefix.index to the engine's own.");
}

void write_sharing(std::ostream& out, const std::string& file, const SharingGraph& graph) {
  writer_for(file)(out, graph);
}

}  // namespace vacancy
