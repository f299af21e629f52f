// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entries.hpp"
#include "sim/eviction/pooling.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"

namespace vacancy {
namespace {

struct Options {
  std::uint32_t window = 32;
  std::uint32_t kernel = 5;
  Pooling pooling = Pooling::avg;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      OptionTable<Options>()
          .add("window", &Options::window, "tokens", {1, 1 << 16},
               "The last queries, whose attention scores the tokens before them; these last "
               "tokens always stay.")
          .add("kernel", &Options::kernel, "tokens", {1, 4095},
               "Odd width of the pooling over neighbouring tokens; 1 for none.")
          .add(
              "pooling", &Options::pooling, "", {},
              "Average or maximum over the kernel, per KV head before heads are joined. The "
              "original "
              "chooses for each query head and stores K and V for each: for that give the model as "
              "many KV heads as query heads.");
  return table;
}

/// The tokens that the last `window` queries attend to.
class SnapKv final : public EvictionPolicy {
 public:
  explicit SnapKv(const Options& options) : options_(options) {
    check_pooling_kernel("eviction.snapkv.kernel", options.kernel);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::uint32_t first_query = window_start(round, options_.window);
    const std::size_t candidates = live_before(round, first_query);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      scratch.parts.assign(candidates, 0.0);
      add_window_attention(round, layer, head, first_query, round.live.size(), scratch.parts,
                           scratch.vectors);
      add_pooled(scratch.parts, options_.kernel, options_.pooling, sums.first(candidates));
    });
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry snapkv_entry() {
  PolicyEntry entry;
  entry.info.name = "snapkv";
  entry.info.summary =
      "SnapKV: keeps what the last queries attend to, pooled, and the last tokens.";
  entry.info.citation = "arXiv 2404.14469; FasterDecoding/SnapKV";
  entry.info.parameters = option_table().parameters();
  entry.scope = Scope::per_layer_per_head;
  entry.prompt = PromptRule::evictable;
  entry.trigger = TriggerKind::once;
  entry.once = OnceAt::prompt_end;
  entry.make = [](const ParameterValues& values,
                  const PolicyContext&) -> std::unique_ptr<EvictionPolicy> {
    return std::make_unique<SnapKv>(option_table().read(values));
  };
  return entry;
}

}  // namespace vacancy
