// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/last_tokens.hpp"

namespace vacancy {
namespace {

class StreamingLlm final : public LastTokens {
 public:
  struct Options {
    std::uint32_t sinks = 4;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = OptionTable<Options>().add(
        "sinks", &Options::sinks, "tokens", {0, 1 << 24},
        "First tokens of the sequence that always stay; the rest of the budget is the recent "
        "window. Published: 4 and 512 recent (the class), 4 and 2000 (the demo), 1 and 255 "
        "(perplexity). An append larger than the window leaves sinks and the newest tokens, where "
        "the class drops all of the window.");
    return table;
  }

  explicit StreamingLlm(const Options& options) : LastTokens(options.sinks) {}
};

}  // namespace

PolicyEntry streaming_llm_entry() {
  return entry_of<StreamingLlm>(
      "streaming_llm", "StreamingLLM: keeps the first tokens (attention sinks) and the last ones.",
      "arXiv 2309.17453; mit-han-lab/streaming-llm");
}

}  // namespace vacancy
