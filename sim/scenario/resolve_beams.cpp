// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

void Resolver::resolve_beams() {
  if (engine_absent_ || !faults_.clean("/engine") || !faults_.clean("/serving") ||
      !faults_.clean("/workload"))
    return;
  const BeamOptions beam = beam_table().read(section("workload.beam"));
  if (beam.width == 1) {
    if (beam.branching != BeamOptions{}.branching || beam.leading != BeamOptions{}.leading)
      fault("/workload/beam",
            "a single candidate has nobody else to continue. Set workload.beam.width to 2 or more, "
            "or leave branching and leading out.");
    return;
  }
  if (beam.branching == 0 && beam.leading != BeamOptions{}.leading)
    fault("/workload/beam/leading",
          "says who is continued where candidates branch. Set workload.beam.branching above 0, or "
          "leave it out.");
  const auto refuse = [&](const std::string& reason) {
    fault("/workload/beam/width", reason + " Or set the width to 1, which is no beam search.");
  };
  const std::string width = format_count(beam.width);
  if (!scenario_.serving || scenario_.serving->scheduler != SchedulerKind::continuous_batching) {
    refuse(
        "only an engine's continuous batching knows candidates. Set engine.profile to a profile "
        "of vLLM, and serving.scheduler to continuous_batching.");
    return;
  }
  ServingScenario& target = *scenario_.serving;
  const EngineProfile& engine = target.config.engine;
  const SchedulerOptions& scheduler = target.config.scheduler;
  if (!engine.hash_chain)
    refuse("candidates share the block tables of vLLM; " + engine.name +
           " has others. Use a profile of vLLM.");
  else if (engine.steps_in_flight > 1)
    refuse("who goes on is known when a step's output is read, but " + engine.name +
           " composes the next step before. Set engine.steps_in_flight to 1.");
  else if (engine.hash_chain->reserve_output)
    refuse(
        "how many blocks candidates will need cannot be reserved: that depends on what they "
        "share. Set engine.reserve_output to false.");
  else if (has_windows())
    refuse(
        "candidates share blocks where all layers share a table. Set engine.hybrid_groups to "
        "false.");
  else if (engine.hash_chain->host_blocks > 0)
    refuse("candidates are simulated without host memory. Set engine.host_blocks to 0.");
  else if (scenario_.policy != "full")
    refuse("candidates that share blocks cannot be evicted from. Set eviction.policy to full.");
  else if (target.samples > 1)
    refuse("a request asks for samples or for a beam. Set workload.samples to 1.");
  else if (beam.width > scheduler.max_num_seqs)
    refuse("no request could run: its " + width + " candidates take as many seats, and there are " +
           format_count(scheduler.max_num_seqs) + ". Raise serving.max_num_seqs.");
  else if (beam.width > scheduler.max_num_batched_tokens)
    refuse("no step could take the tokens of all " + width +
           " candidates. Raise serving.max_num_batched_tokens.");
  else
    target.config.beams.emplace(beam, scenario_.seed);
}

}  // namespace vacancy
