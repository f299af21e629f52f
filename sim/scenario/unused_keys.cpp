// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/options.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"

namespace vacancy {

void Resolver::refuse_unused(const ServingScenario& target, const ServingOptions& serving) {
  const auto refuse_if = [&](bool unused, const char* pointer, const std::string& sentence) {
    if (unused) fault(pointer, sentence);
  };
  const ServingOptions unset;
  refuse_if(serving.swap_blocks && serving.preemption != Preemption::swap, "/serving/swap_blocks",
            "belongs to swapping. Set serving.preemption to swap, or remove it.");
  refuse_if(serving.window != unset.window && target.scheduler != SchedulerKind::active_window,
            "/serving/window",
            "belongs to a window of active requests. Set serving.scheduler to active_window, or "
            "remove it.");
  const bool one_step = target.config.engine.steps_in_flight == 1;
  const std::string two_steps =
      "is a rule of two steps in flight. Set engine.steps_in_flight to 2, or remove it.";
  refuse_if(one_step && serving.keep_in_flight_token != unset.keep_in_flight_token,
            "/serving/keep_in_flight_token", two_steps);
  refuse_if(one_step && serving.run_past_end != unset.run_past_end, "/serving/run_past_end",
            two_steps);

  refuse_if(
      scenario_.cache.blocks_per_page && !(target.scheduler == SchedulerKind::continuous_batching &&
                                           target.config.engine.hash_chain),
      "/cache/blocks_per_page",
      "counts the pages under block tables: of runs without an engine, and of a profile of "
      "vLLM under continuous_batching. Remove it.");

  const bool replays = target.scheduler == SchedulerKind::block_replay;
  const PrefixOptions& prefix = target.prefix;
  const PrefixOptions bare;
  const std::string of_replays =
      "belongs to a bare cache. Set serving.scheduler to block_replay, or remove it.";
  refuse_if(!replays && prefix.count != bare.count, "/prefix/count", of_replays);
  refuse_if(!replays && prefix.touch != bare.touch, "/prefix/touch", of_replays);
  refuse_if(!replays && prefix.partial_blocks != bare.partial_blocks, "/prefix/partial_blocks",
            of_replays);

  const std::string of_sequences =
      "belongs to sequences without an engine; here requests come from workload.source. Remove it.";
  refuse_if(scenario_.sequences != WorkloadOptions{}.sequences, "/workload/sequences",
            of_sequences);
  refuse_if(scenario_.prompt_tokens->longest() > 0, "/workload/prompt_tokens", of_sequences);
  refuse_if(scenario_.output_tokens->longest() > 0, "/workload/output_tokens", of_sequences);
  refuse_if(target.made && trace_table().read(section("workload.trace")).path,
            "/workload/trace/path",
            "is not read, because requests are made. Set workload.source to trace, or remove it.");
}

}  // namespace vacancy
