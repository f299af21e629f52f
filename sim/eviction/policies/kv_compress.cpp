// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/pooling.hpp"
#include "sim/eviction/shares.hpp"

namespace vacancy {
namespace {

/// The metric of every token per (layer, KV head): attention squared, summed over the queries of
/// the group that were observed. The prompt's last queries count, spread over their neighbours, and
/// all queries behind it; while the prompt is not complete, the last of those that are there.
class SquaredAttention final : public SequenceState {
 public:
  SquaredAttention(const AttentionShape& shape, std::uint32_t prompt_tokens,
                   std::uint32_t prefill_queries, std::uint32_t kernel)
      : prompt_tokens_(prompt_tokens),
        prefill_queries_(prefill_queries),
        kernel_(kernel),
        kv_heads_(shape.kv_heads),
        metrics_(std::size_t{shape.layers} * shape.kv_heads) {}

  void advance(const SequenceAttention& attention, std::uint32_t length) override {
    if (length <= length_) return;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const auto layer = static_cast<std::uint32_t>(i) / kv_heads_;
      const auto head = static_cast<std::uint32_t>(i) % kv_heads_;
      metrics_[i].resize(length, 0.0);
      if (length_ < prompt_tokens_) take_prompt(attention, layer, head, length, metrics_[i]);
      add_squares(attention, layer, head, std::max(length_, prompt_tokens_), length, metrics_[i]);
    }
    length_ = length;
  }

  std::span<const double> metrics(std::uint32_t layer, std::uint32_t kv_head) const {
    return metrics_[layer * kv_heads_ + kv_head];
  }

 private:
  void take_prompt(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t kv_head,
                   std::uint32_t length, std::span<double> metrics) {
    const std::uint32_t prompt = std::min(prompt_tokens_, length);
    observed_.assign(prompt, 0.0);
    add_squares(attention, layer, kv_head, prompt - std::min(prompt, prefill_queries_), prompt,
                observed_);
    std::fill(metrics.begin(), metrics.end(), 0.0);
    add_pooled(observed_, kernel_, Pooling::max, metrics.first(prompt));
  }

  void add_squares(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t kv_head,
                   std::uint32_t first, std::uint32_t last, std::span<double> sums) {
    const std::uint32_t group = attention.shape().group();
    for (std::uint32_t query = first; query < last; ++query) {
      row_.resize(std::size_t{query} + 1);
      for (std::uint32_t member = 0; member < group; ++member) {
        attention.weights(layer, kv_head * group + member, query, row_);
        for (std::size_t j = 0; j < row_.size(); ++j)
          sums[j] += double{row_[j]} * double{row_[j]};
      }
    }
  }

  std::uint32_t prompt_tokens_, prefill_queries_, kernel_, kv_heads_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<double>> metrics_;
  std::vector<double> observed_;
  std::vector<float> row_;
};

/// Squared attention, and budgets counted in blocks: the blocks of all heads that are cheapest to
/// empty go. Sets count blocks as if each had a table of its own and no holes; the budget rounds up
/// to whole blocks, and together sets keep as many as that makes (a set's last block may be partial
/// if the set gives none).
class KvCompress final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t window = 64;
    std::uint32_t prefill_queries = 32;
    std::uint32_t kernel = 7;
    std::optional<double> target_compression_rate;
    bool even_layer_evict = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("window", &Options::window, "tokens", {0, 1 << 16},
                 "The last tokens, which always stay: 64 in the engine, 100 in its requests' "
                 "parameters. The method has a round every step (eviction.interval 1) and reclaims "
                 "by fill_holes on a table for each head.")
            .add("prefill_queries", &Options::prefill_queries, "tokens", {1, 1 << 16},
                 "Last queries of the prompt that count, beside all queries behind it.")
            .add("kernel", &Options::kernel, "tokens", {1, 4095},
                 "Odd width of the maximum over neighbouring tokens of the prompt; 1 for none. The "
                 "width is ours.")
            .add(
                "target_compression_rate", &Options::target_compression_rate, "share", {0, 1},
                "Part of a sequence's tokens, its window rounded up to blocks left out, that the "
                "sets keep together; null: the budget says how many. The engine refuses both; here "
                "eviction.budget then says from which length on a sequence is compressed (ours).")
            .add("even_layer_evict", &Options::even_layer_evict, "", {},
                 "Every layer gives as many blocks, the cheapest of its heads: the number is "
                 "rounded down to a multiple of the layers. Sets that speak for several layers are "
                 "one layer here (ours).");
    return table;
  }

  explicit KvCompress(const Options& options) : options_(options) {
    check_pooling_kernel("eviction.kv_compress.kernel", options.kernel);
  }

  KeepRule keep_rule() const override { return KeepRule::ragged; }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }

  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t prompt_tokens) const override {
    return std::make_unique<SquaredAttention>(shape, prompt_tokens, options_.prefill_queries,
                                              options_.kernel);
  }
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    const auto& state = static_cast<const SquaredAttention&>(*round.state);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      const std::span<const double> metrics = state.metrics(layer, head);
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += metrics[round.live[i]];
    });
  }

  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch& scratch) const override {
    const std::uint32_t b = sets[0].block_size;
    score_all(*this, sets, scratch);
    JoinedValues worth(scratch);  // of the blocks that a set can empty, the cheapest first
    for (const EvictionRound& set : sets) {
      const std::span<double> metrics = open_scores(set, scratch);
      std::sort(metrics.begin(), metrics.end());
      for (std::size_t i = in_last_block(set); i <= metrics.size(); i += b)
        worth.add(-metrics[i - 1]);
      worth.end_set();
    }
    const std::size_t blocks = blocks_to_evict(sets);
    if (options_.even_layer_evict) {
      std::size_t layers = 0;
      for_each_layer_pool(sets, [&](std::size_t, std::size_t) { ++layers; });
      for_each_layer_pool(sets, [&](std::size_t first, std::size_t last) {
        worth.count_best(first, last, blocks / layers, shares.subspan(first, last - first),
                         scratch);
      });
    } else {
      worth.count_best(0, sets.size(), blocks, shares, scratch);
    }
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto live = static_cast<std::uint32_t>(sets[set].live.size());
      // Fewer than a block's worth of candidates frees nothing, and they stay.
      const std::uint32_t gone =
          shares[set] == 0 ? 0 : in_last_block(sets[set]) + (shares[set] - 1) * b;
      shares[set] = live - gone;
    }
  }

 private:
  std::size_t blocks_to_evict(std::span<const EvictionRound> sets) const {
    const std::uint32_t b = sets[0].block_size;
    std::size_t held = 0, allowed = 0, tokens = 0;
    for (const EvictionRound& set : sets) {
      held += blocks_of(set.live.size(), b);
      allowed += blocks_of(set.keep, b);
      tokens += set.live.size();
    }
    if (!options_.target_compression_rate) return held - std::min(held, allowed);
    const std::size_t window = std::size_t{blocks_of(options_.window, b)} * b;
    const std::size_t length = std::max<std::size_t>(sets[0].next_position, window);
    const double kept =
        *options_.target_compression_rate * static_cast<double>((length - window) * sets.size());
    const std::size_t stay = static_cast<std::size_t>(std::ceil(kept)) + window * sets.size();
    return blocks_of(tokens - std::min(tokens, stay), b);
  }

  /// 1..B: the first block costs as many tokens, each further one B.
  static std::uint32_t in_last_block(const EvictionRound& round) {
    const auto live = static_cast<std::uint32_t>(round.live.size());
    return (live + round.block_size - 1) % round.block_size + 1;
  }

  Options options_;
};

}  // namespace

PolicyEntry kv_compress_entry() {
  PolicyEntry entry = entry_of<KvCompress>("kv_compress",
                                           "KV-Compress: empties the blocks, of all heads, whose "
                                           "tokens got the least squared attention.",
                                           "arXiv 2410.00161; IsaacRe/vllm-kvcompress");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
