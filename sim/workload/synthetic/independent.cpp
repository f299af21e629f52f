// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/entry_of.hpp"
#include "sim/workload/synthetic/prompt_keys.hpp"
#include "sim/workload/synthetic/request_stream.hpp"

namespace vacancy {

namespace {

class Independent final : public RequestStream {
 public:
  struct Options : StreamOptions, OutputOptions {
    double prompt_median = 512, prompt_sigma = 1;
    std::uint32_t prompt_max = 32768;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = [] {
      OptionTable<Options> t;
      add_stream_options(t, "requests");
      t.add("prompt_median", &Options::prompt_median, "tokens", {1, longest_made},
            "Half of the prompts are shorter; they are lognormal.")
          .add("prompt_sigma", &Options::prompt_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of a prompt's length.")
          .add("prompt_max", &Options::prompt_max, "tokens", {1, longest_made},
               "The longest prompt.");
      add_output_options(t);
      return t;
    }();
    return table;
  }

  Independent(const Options& options, std::uint64_t seed)
      : RequestStream("independent", options, seed), options_(options) {}

 private:
  void fill(std::uint32_t number, TraceRequest& request) const override {
    request.prompt_tokens = draws().tokens(options_.prompt_median, options_.prompt_sigma,
                                           options_.prompt_max, number, 0, DrawPurpose::prompt);
    request.output_tokens = output_tokens(options_, number);
    PromptKeys prompt(options_.block_size, request.block_keys);
    prompt.add(ContentKind::request, number, 0, request.prompt_tokens);
  }

  Options options_;
};

}  // namespace

SyntheticEntry independent_entry() {
  return entry_of<Independent>("independent", "Prompts that share nothing.");
}

}  // namespace vacancy
