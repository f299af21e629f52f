// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/number_lines.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// score = -(k · filter): queries of a head lie to one side, and the filter points there.
class QFilter final : public EvictionPolicy {
 public:
  struct Options {
    std::optional<std::filesystem::path> filters;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = OptionTable<Options>().add(
        "filters", &Options::filters, "", {},
        "File of the model's filters: a line for each KV head of each layer, layer after layer, "
        "with a number for each component of a key.");
    return table;
  }

  QFilter(const Options& options, const PolicyContext& context) {
    const std::string key = "eviction.q_filter.filters";
    if (!options.filters)
      throw UserError(key +
                      " is missing; name a file with a filter for each KV head of each layer, or "
                      "choose another policy.");
    filters_ = read_number_lines(
        *options.filters,
        {std::size_t{context.layers} * context.kv_heads, context.head_dim, "filter", "component"},
        context, key);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    return needs;
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const AttentionShape& shape = round.attention->shape();
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      const auto filter = std::span(filters_).subspan(
          std::size_t{layer * shape.kv_heads + head} * shape.head_dim, shape.head_dim);
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        for (std::size_t c = 0; c < filter.size(); ++c)
          sums[i] -= double{key[c]} * filter[c];
      });
    });
  }

 private:
  std::vector<double> filters_;  // [layer * KV heads + head][component]
};

}  // namespace

PolicyEntry q_filter_entry() {
  return prompt_entry_of<QFilter>(
      "q_filter",
      "Q-Filters: keeps the keys that point least along a direction learned from the model's "
      "queries.",
      "arXiv 2503.02812; NVIDIA/kvpress qfilter_press");
}

}  // namespace vacancy
