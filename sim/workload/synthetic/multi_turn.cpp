// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/entries.hpp"
#include "sim/workload/synthetic/sessions.hpp"

namespace vacancy {

namespace {

struct Options : StreamOptions, OutputOptions {
  std::uint32_t system_prompts = 1, system_tokens = 500;
  double turns = 4;
  double user_median = 60, user_sigma = 1;
  std::uint32_t user_max = 8192;
  double think_time = 30;
  double token_time = 0.02;
  std::uint32_t context_limit = 131072;
};

const OptionTable<Options>& table() {
  static const auto table = [] {
    OptionTable<Options> t;
    add_stream_options(t, "conversations");
    t.add("system_prompts", &Options::system_prompts, "prompts", {1, 1'000'000},
          "Different system prompts; each conversation has one of them, all equally likely.")
        .add("system_tokens", &Options::system_tokens, "tokens", {0, longest_made},
             "Length of a system prompt.")
        .add("turns", &Options::turns, "turns", {1, 1e6},
             "Mean questions of a conversation; geometric.")
        .add("user_median", &Options::user_median, "tokens", {1, longest_made},
             "Half of the questions are shorter; they are lognormal.")
        .add("user_sigma", &Options::user_sigma, "", {0, 10},
             "Standard deviation of the natural logarithm of a question's length.")
        .add("user_max", &Options::user_max, "tokens", {1, longest_made}, "The longest question.")
        .add("think_time", &Options::think_time, "s", {0, 1e6},
             "Mean time from an answer to the next question; exponential.")
        .add("token_time", &Options::token_time, "s", {0, 100},
             "Time that a token of an answer takes, before the user thinks.")
        .add("context_limit", &Options::context_limit, "tokens", {1, 1u << 30},
             "A conversation ends before a prompt would exceed it.");
    add_output_options(t);
    return t;
  }();
  return table;
}

}  // namespace

SyntheticEntry multi_turn_entry() {
  return {{"multi_turn",
           "Conversations with people: each prompt is all that was said before, and a question.",
           "", table().parameters()},
          [](const ParameterValues& values, std::uint64_t seed) -> std::unique_ptr<TraceReader> {
            const Options o = table().read(values);
            SessionLaw law;
            law.kinds = o.system_prompts;
            law.shared_tokens = o.system_tokens;
            law.first = law.next = {o.user_median, o.user_sigma, o.user_max};
            law.output = {o.output_median, o.output_sigma, o.output_max};
            law.mean_requests = o.turns;
            law.output_token_seconds = o.token_time;
            law.pause_seconds = o.think_time;
            law.context_limit = o.context_limit;
            return std::make_unique<SessionTrace>("multi_turn", o, law, seed);
          }};
}

}  // namespace vacancy
