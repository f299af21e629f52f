// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/entry_of.hpp"
#include "sim/workload/synthetic/prompt_keys.hpp"
#include "sim/workload/synthetic/request_stream.hpp"

namespace vacancy {

namespace {

class SharedPrefix final : public RequestStream {
 public:
  struct Options : StreamOptions, OutputOptions {
    std::uint32_t groups = 10;
    double popularity = 1;
    std::uint32_t prefix_tokens = 1024;
    double suffix_median = 128, suffix_sigma = 0.8;
    std::uint32_t suffix_max = 8192;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = [] {
      OptionTable<Options> t;
      add_stream_options(t, "requests");
      t.add("groups", &Options::groups, "groups", {1, 1'000'000},
            "Different prefixes, such as the system prompts of applications.")
          .add("popularity", &Options::popularity, "", {0, 5},
               "Exponent of the law by which the n-th group is chosen, 1 / n^popularity: 0 makes "
               "all alike, 1 is Zipf's.")
          .add("prefix_tokens", &Options::prefix_tokens, "tokens", {0, longest_made},
               "Tokens that all prompts of a group begin with.")
          .add("suffix_median", &Options::suffix_median, "tokens", {1, longest_made},
               "Tokens of a prompt's own behind the prefix: half have fewer; they are lognormal.")
          .add("suffix_sigma", &Options::suffix_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of that length.")
          .add("suffix_max", &Options::suffix_max, "tokens", {1, longest_made},
               "The longest suffix.");
      add_output_options(t);
      return t;
    }();
    return table;
  }

  SharedPrefix(const Options& options, std::uint64_t seed)
      : RequestStream("shared_prefix", options, seed),
        options_(options),
        groups_(options.groups, options.popularity) {}

 private:
  void fill(std::uint32_t number, TraceRequest& request) const override {
    PromptKeys prompt(options_.block_size, request.block_keys);
    prompt.add(ContentKind::group, groups_.rank(draws().uniform(number, 0, DrawPurpose::group)), 0,
               options_.prefix_tokens);
    prompt.add(ContentKind::request, number, 0,
               draws().tokens(options_.suffix_median, options_.suffix_sigma, options_.suffix_max,
                              number, 0, DrawPurpose::prompt));
    request.prompt_tokens = prompt.tokens();
    request.output_tokens = output_tokens(options_, number);
  }

  Options options_;
  Zipf groups_;
};

}  // namespace

SyntheticEntry shared_prefix_entry() {
  return entry_of<SharedPrefix>("shared_prefix",
                                "Groups of prompts that begin with the same text.");
}

}  // namespace vacancy
