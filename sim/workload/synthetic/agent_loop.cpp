// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/entry_of.hpp"
#include "sim/workload/synthetic/sessions.hpp"

namespace vacancy {

namespace {

class AgentLoop final : public SessionTrace {
 public:
  struct Options : StreamOptions, OutputOptions {
    Options() { rate = 0.1; }

    std::uint32_t agents = 1, tool_tokens = 12000;
    double steps = 30;
    double task_median = 800, task_sigma = 1;
    std::uint32_t task_max = 16384;
    double result_median = 500, result_sigma = 1.2;
    std::uint32_t result_max = 16384;
    double tool_time = 2;
    double token_time = 0.02;
    std::uint32_t context_limit = 160000, summary_tokens = 4000;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = [] {
      OptionTable<Options> t;
      add_stream_options(t, "tasks");
      t.add("agents", &Options::agents, "agents", {1, 1'000'000},
            "Kinds of agents; each task is done by one of them, all equally likely.")
          .add("tool_tokens", &Options::tool_tokens, "tokens", {0, longest_made},
               "Instructions and tools that all prompts of a kind of agent begin with.")
          .add("steps", &Options::steps, "steps", {1, 1e6}, "Mean requests of a task; geometric.")
          .add("task_median", &Options::task_median, "tokens", {1, longest_made},
               "Half of the task descriptions are shorter; they are lognormal.")
          .add("task_sigma", &Options::task_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of a description's length.")
          .add("task_max", &Options::task_max, "tokens", {1, longest_made},
               "The longest description.")
          .add("result_median", &Options::result_median, "tokens", {1, longest_made},
               "Half of the tools' results are shorter; they are lognormal.")
          .add("result_sigma", &Options::result_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of a result's length.")
          .add("result_max", &Options::result_max, "tokens", {1, longest_made},
               "The longest result.")
          .add("tool_time", &Options::tool_time, "s", {0, 1e6},
               "Mean time that a tool takes; exponential.")
          .add("token_time", &Options::token_time, "s", {0, 100},
               "Time that a token of an answer takes, before its tool runs.")
          .add("context_limit", &Options::context_limit, "tokens", {1, 1u << 30},
               "Where a prompt would exceed it, the history is replaced by a summary.")
          .add("summary_tokens", &Options::summary_tokens, "tokens", {1, longest_made},
               "Length of the summary.");
      add_output_options(t);
      return t;
    }();
    return table;
  }

  AgentLoop(const Options& options, std::uint64_t seed)
      : SessionTrace("agent_loop", options, law_of(options), seed) {}

 private:
  static SessionLaw law_of(const Options& options) {
    SessionLaw law;
    law.kinds = options.agents;
    law.shared_tokens = options.tool_tokens;
    law.first = {options.task_median, options.task_sigma, options.task_max};
    law.next = {options.result_median, options.result_sigma, options.result_max};
    law.output = {options.output_median, options.output_sigma, options.output_max};
    law.mean_requests = options.steps;
    law.output_token_seconds = options.token_time;
    law.pause_seconds = options.tool_time;
    law.context_limit = options.context_limit;
    law.summary_tokens = options.summary_tokens;
    return law;
  }
};

}  // namespace

SyntheticEntry agent_loop_entry() {
  return entry_of<AgentLoop>(
      "agent_loop",
      "Agents that call tools: many requests of a task follow each other quickly, and each prompt "
      "grows by the last answer and a tool's result.");
}

}  // namespace vacancy
