// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/page_bounds.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// The blocks whose bounds a query's logits could exceed most, and the last.
class PageReader final : public TokenReader {
 public:
  PageReader(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
             std::uint32_t wanted)
      : attention_(*round.attention),
        layer_(layer),
        wanted_(wanted),
        bounds_(
            round.live.empty()
                ? 0
                : *std::max_element(round.slots.begin(), round.slots.end()) / round.block_size + 1,
            attention_.shape().head_dim),
        query_(attention_.shape().head_dim) {
    tokens_.resize(bounds_.pages());
    std::vector<float> buffer;
    for_each_live_key(round, layer, kv_head, buffer, [&](std::size_t i, auto key) {
      const std::uint32_t page = round.slots[i] / round.block_size;
      bounds_.add(page, key);
      tokens_[page].push_back(round.live[i]);
    });
    for (std::uint32_t page = 0; page < bounds_.pages(); ++page)
      if (!tokens_[page].empty()) pages_.push_back(page);
    worth_.resize(bounds_.pages());
  }

  void pass_over(std::uint32_t query_head, std::uint32_t query,
                 std::span<std::uint8_t> read) override {
    if (pages_.size() <= wanted_) return;
    attention_.queries(layer_, query_head, query, query_);
    order_.assign(pages_.begin(), pages_.end() - 1);  // the last page is always read
    for (const std::uint32_t page : order_)
      worth_[page] = bounds_.bound(page, query_);
    const auto cut = order_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
    std::nth_element(order_.begin(), cut, order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b;
    });
    for (auto page = cut; page != order_.end(); ++page)
      for (const std::uint32_t token : tokens_[*page])
        read[token] = 0;
  }

 private:
  const SequenceAttention& attention_;
  std::uint32_t layer_, wanted_;
  PageBounds bounds_;
  std::vector<float> query_;
  std::vector<std::vector<std::uint32_t>> tokens_;  // [page]
  std::vector<std::uint32_t> pages_, order_;        // with tokens, ascending
  std::vector<double> worth_;
};

/// Evicts nothing: a round is the moment at which its readers are measured.
class Quest final : public EvictionPolicy {
 public:
  struct Options {
    std::optional<std::uint32_t> token_budget;
    std::uint32_t dense_layers = 2;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("token_budget", &Options::token_budget, "tokens", {1, 1 << 30},
                 "Tokens that a query reads, in whole blocks, at least three, the last among them "
                 "(ours); null = eviction.budget. Tokens newer than the round are read too. 512 to "
                 "4096 in the paper, with blocks of 16.")
            .add("dense_layers", &Options::dense_layers, "", {0, 1 << 16},
                 "First layers, in which a query reads everything.");
    return table;
  }

  Quest(const Options& options, const PolicyContext& context)
      : options_(options), budget_(options.token_budget.value_or(context.budget)) {
    if (budget_ == 0)
      throw UserError(
          "the policy quest needs the tokens that a query reads; set eviction.budget, or "
          "eviction.quest.token_budget, to some such as 1024.");
  }

  KeepRule keep_rule() const override { return KeepRule::own; }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.queries = true;
    return needs;
  }

  void score(const EvictionRound&, std::span<double> scores, SelectionScratch&) const override {
    std::fill(scores.begin(), scores.end(), 0.0);
  }
  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch&) const override {
    bits::set_range(keep, 0, round.live.size());
  }

  bool reads_part() const override { return true; }
  std::unique_ptr<TokenReader> open_reader(const EvictionRound& round, std::uint32_t layer,
                                           std::uint32_t kv_head) const override {
    if (layer < options_.dense_layers) return nullptr;
    return std::make_unique<PageReader>(round, layer, kv_head,
                                        std::max(3u, budget_ / round.block_size));
  }

 private:
  Options options_;
  std::uint32_t budget_;
};

}  // namespace

PolicyEntry quest_entry() {
  PolicyEntry entry = entry_of<Quest>(
      "quest",
      "Quest: keeps everything, and each query reads only the blocks whose keys it could attend to "
      "most; retained mass and output error are those of what it reads.",
      "arXiv 2406.10774; mit-han-lab/Quest");
  entry.trigger = TriggerKind::once;
  return entry;
}

}  // namespace vacancy
