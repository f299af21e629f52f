// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entries.hpp"

namespace vacancy {
namespace {

struct Options {
  std::uint32_t sinks = 4;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      OptionTable<Options>().add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                                 "First tokens of the sequence that always stay; the rest of the "
                                 "budget is the recent window.");
  return table;
}

/// Attention sinks and the last tokens. The window is what the budget leaves, so an append larger
/// than the window leaves the sinks and the newest tokens, where the public class keeps the sinks
/// only (its slice starts past the end of the cache).
class StreamingLlm final : public EvictionPolicy {
 public:
  explicit StreamingLlm(Options options) : options_(options) {}

  Protection protection(std::uint32_t) const override { return {options_.sinks, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = round.live[i];
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry streaming_llm_entry() {
  PolicyEntry entry;
  entry.info.name = "streaming_llm";
  entry.info.summary = "StreamingLLM: keeps the first tokens (attention sinks) and the last ones.";
  entry.info.citation = "arXiv 2309.17453; mit-han-lab/streaming-llm";
  entry.info.parameters = option_table().parameters();
  entry.scope = Scope::model;
  entry.prompt = PromptRule::evictable;
  entry.trigger = TriggerKind::slack;
  entry.make = [](const ParameterValues& values,
                  const PolicyContext&) -> std::unique_ptr<EvictionPolicy> {
    return std::make_unique<StreamingLlm>(option_table().read(values));
  };
  return entry;
}

}  // namespace vacancy
