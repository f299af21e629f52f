// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/rocketkv.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/page_bounds.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/softmax.hpp"
#include "sim/eviction/window_scores.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

RocketShares rocket_shares(std::uint32_t max_length, std::uint32_t budget, std::uint32_t head_dim) {
  RocketShares shares;
  const double n = max_length, b = std::clamp(budget, 1u, std::max(1u, max_length));
  const double ratio = std::max(1.0, n / b);
  const double split = std::min(0.2 + 0.06 * portable_log(ratio) / std::numbers::ln2, 0.8);
  shares.capacity = static_cast<std::uint32_t>(n / portable_pow(ratio, split));
  const double second = std::max(1.0, shares.capacity / b);
  const double chunk = std::min(std::floor(second), std::ceil(std::sqrt(second)));
  shares.chunk = static_cast<std::uint32_t>(chunk);
  const auto channels =
      static_cast<std::uint32_t>(std::nearbyint(static_cast<double>(head_dim) * chunk / second));
  shares.channels = std::min(head_dim, std::max(1u, channels));
  shares.attended = std::min(static_cast<std::uint32_t>(std::nearbyint(b / 2)), shares.capacity);
  return shares;
}

namespace {

/// What the second stage reads: the tokens of the chunks whose bounds promise the query heads of a
/// KV head most attention, by the few channels in which these are largest.
class ChunkReader final : public TokenReader {
 public:
  ChunkReader(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
              const RocketShares& shares)
      : attention_(*round.attention),
        layer_(layer),
        kv_head_(kv_head),
        shares_(shares),
        tokens_(round.live.begin(), round.live.end()),
        bounds_(static_cast<std::uint32_t>((tokens_.size() + shares.chunk - 1) / shares.chunk),
                attention_.shape().head_dim) {
    std::vector<float> buffer;
    for_each_live_key(round, layer, kv_head, buffer, [&](std::size_t i, auto key) {
      bounds_.add(static_cast<std::uint32_t>(i / shares_.chunk), key);
    });
  }

  void pass_over(std::uint32_t, std::uint32_t query, std::span<std::uint8_t> read) override {
    if (tokens_.size() <= shares_.attended) return;
    if (query != chosen_for_ || ranks_.empty()) rank_chunks(query);
    chosen_for_ = query;
    std::size_t room = shares_.attended;
    for (const std::uint32_t chunk : ranks_) {
      const std::size_t first = std::size_t{chunk} * shares_.chunk, size = tokens_of(chunk);
      for (std::size_t i = std::min(room, size); i < size; ++i)
        read[tokens_[first + i]] = 0;
      room -= std::min(room, size);
    }
  }

 private:
  std::size_t tokens_of(std::uint32_t chunk) const {
    const std::size_t first = std::size_t{chunk} * shares_.chunk;
    return std::min<std::size_t>(shares_.chunk, tokens_.size() - first);
  }

  /// ranks_: the chunks by the attention that a token of theirs is promised, ties to the first.
  void rank_chunks(std::uint32_t query) {
    const std::size_t dim = attention_.shape().head_dim, group = attention_.shape().group();
    queries_.resize(group * dim);
    sums_.assign(dim, 0.0);
    sizes_.assign(dim, 0.0);
    for (std::size_t member = 0; member < group; ++member) {
      const auto own = std::span(queries_).subspan(member * dim, dim);
      attention_.queries(layer_, static_cast<std::uint32_t>(kv_head_ * group + member), query, own);
      for (std::size_t c = 0; c < dim; ++c) {
        sums_[c] += double{own[c]};
        sizes_[c] += std::abs(double{own[c]});
      }
    }
    channels_.resize(dim);
    std::iota(channels_.begin(), channels_.end(), 0u);
    std::stable_sort(channels_.begin(), channels_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sizes_[a] > sizes_[b]; });
    channels_.resize(shares_.channels);

    promised_.assign(bounds_.pages(), 0.0);
    for (std::size_t member = 0; member < group; ++member)
      add_promises(std::span(queries_).subspan(member * dim, dim));
    ranks_.resize(promised_.size());
    std::iota(ranks_.begin(), ranks_.end(), 0u);
    std::stable_sort(ranks_.begin(), ranks_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return promised_[a] > promised_[b]; });
  }

  /// Adds one query head's softmax over all tokens, each with the bound of its chunk as logit.
  void add_promises(std::span<const float> query) {
    double chosen = 0, all = 0;
    for (const std::uint32_t c : channels_)
      chosen += std::abs(double{query[c]});
    for (const float x : query)
      all += std::abs(double{x});
    if (chosen <= 0) return;
    const double scale = std::sqrt(static_cast<double>(query.size()) * chosen / all);
    logits_.resize(tokens_.size());
    for (std::uint32_t chunk = 0; chunk < bounds_.pages(); ++chunk) {
      double logit = 0;
      for (const std::uint32_t c : channels_)
        logit += double{query[c]} *
                 double{sums_[c] > 0 ? bounds_.high(chunk, c) : bounds_.low(chunk, c)};
      std::fill_n(logits_.begin() + static_cast<std::ptrdiff_t>(chunk * shares_.chunk),
                  tokens_of(chunk), logit / scale);
    }
    to_softmax(logits_);
    for (std::uint32_t chunk = 0; chunk < bounds_.pages(); ++chunk)
      promised_[chunk] += logits_[chunk * shares_.chunk];
  }

  const SequenceAttention& attention_;
  std::uint32_t layer_, kv_head_;
  RocketShares shares_;
  std::vector<std::uint32_t> tokens_;
  PageBounds bounds_;  // of chunks
  std::uint32_t chosen_for_ = 0;
  std::vector<float> queries_;
  std::vector<double> sums_, sizes_, logits_, promised_;
  std::vector<std::uint32_t> channels_, ranks_;
};

/// SnapKV's scores, and a budget between what a step attends to and the full length. The second
/// stage chooses among what is left at every step and evicts nothing.
class RocketKv final : public WindowPolicy {
 public:
  struct Options : WindowOptions {
    Options() : WindowOptions{32, 63, Pooling::max} {}
    std::uint32_t max_length = 32768;
    std::uint32_t new_tokens = 0;
    bool second_stage = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        window_options<Options>()
            .add("max_length", &Options::max_length, "tokens", {1, 1 << 24},
                 "The longest sequence that the engine is set up for. With eviction.budget, here "
                 "the tokens that a step attends to, it makes the capacity, which is what stays.")
            .add("new_tokens", &Options::new_tokens, "tokens", {0, 1 << 24},
                 "Part of the capacity that is left to tokens yet to come.")
            .add("second_stage", &Options::second_stage, "", {},
                 "Whether a query reads only part of what is left: the tokens of the chunks that "
                 "its strongest channels promise most of, half of eviction.budget. This evicts "
                 "nothing; retained mass and output error are those of what is read. Chunks are "
                 "neighbours in position order, the query heads of a KV head choose together by "
                 "the sum of their approximate softmax, and tokens newer than the round are read "
                 "too (ours).");
    return table;
  }

  RocketKv(const Options& options, const PolicyContext& context)
      : WindowPolicy("rocketkv", options), options_(options), budget_(context.budget) {
    if (options.second_stage && budget_ == 0)
      throw UserError(
          "the second stage of the policy rocketkv needs the tokens that a step attends to; set "
          "eviction.budget to some such as 1024, or remove eviction.rocketkv.second_stage.");
    if (!context.note || context.budget == 0) return;
    const RocketShares shares = rocket_shares(options.max_length, context.budget, context.head_dim);
    context.note("RocketKV keeps " + counted(capacity(context.budget), "token") +
                 " a set for a budget of " + format_count(context.budget) +
                 ": memory follows its capacity of " + format_count(shares.capacity) +
                 ". Its second stage " + (options.second_stage ? "attends" : "would attend") +
                 " to " + format_count(shares.attended) + " of them a step, chosen in chunks of " +
                 format_count(shares.chunk) + " by " + counted(shares.channels, "channel") + ".");
  }

  std::uint32_t capacity(std::uint32_t budget) const override {
    const std::uint32_t all =
        std::min(rocket_shares(options_.max_length, budget, 0).capacity, options_.max_length);
    return all - std::min(all, options_.new_tokens);
  }
  PolicyNeeds needs() const override {
    PolicyNeeds needs = WindowPolicy::needs();
    needs.features.keys = needs.features.queries = options_.second_stage;
    return needs;
  }
  bool reads_part() const override { return options_.second_stage; }
  std::unique_ptr<TokenReader> open_reader(const EvictionRound& round, std::uint32_t layer,
                                           std::uint32_t kv_head) const override {
    if (!reads_part()) return nullptr;
    const std::uint32_t dim = round.attention->shape().head_dim;
    return std::make_unique<ChunkReader>(round, layer, kv_head,
                                         rocket_shares(options_.max_length, budget_, dim));
  }

 private:
  Options options_;
  std::uint32_t budget_;
};

}  // namespace

PolicyEntry rocketkv_entry() {
  return prompt_entry_of<RocketKv>(
      "rocketkv",
      "RocketKV: what the last queries attend to, as much of it as the method's capacity for the "
      "budget; queries may read part of that only.",
      "arXiv 2502.14051; NVlabs/RocketKV");
}

}  // namespace vacancy
