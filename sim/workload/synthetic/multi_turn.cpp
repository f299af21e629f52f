// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/entry_of.hpp"
#include "sim/workload/synthetic/sessions.hpp"

namespace vacancy {

namespace {

class MultiTurn final : public SessionTrace {
 public:
  struct Options : StreamOptions, OutputOptions {
    std::uint32_t system_prompts = 1, system_tokens = 500;
    double turns = 4;
    double user_median = 60, user_sigma = 1;
    std::uint32_t user_max = 8192;
    double think_time = 30;
    double token_time = 0.02;
    std::uint32_t context_limit = 131072;
  };

  static const OptionTable<Options>& option_table() {
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

  MultiTurn(const Options& options, std::uint64_t seed)
      : SessionTrace("multi_turn", options, law_of(options), seed) {}

 private:
  static SessionLaw law_of(const Options& options) {
    SessionLaw law;
    law.kinds = options.system_prompts;
    law.shared_tokens = options.system_tokens;
    law.first = law.next = {options.user_median, options.user_sigma, options.user_max};
    law.output = {options.output_median, options.output_sigma, options.output_max};
    law.mean_requests = options.turns;
    law.output_token_seconds = options.token_time;
    law.pause_seconds = options.think_time;
    law.context_limit = options.context_limit;
    return law;
  }
};

}  // namespace

SyntheticEntry multi_turn_entry() {
  return entry_of<MultiTurn>(
      "multi_turn",
      "Conversations with people: each prompt is all that was said before, and a question.");
}

}  // namespace vacancy
