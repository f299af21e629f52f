// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

enum class RecurrenceScore { product, sum };

template <>
struct EnumNames<RecurrenceScore> {
  static constexpr EnumName<RecurrenceScore> table[] = {{RecurrenceScore::product, "product"},
                                                        {RecurrenceScore::sum, "sum"}};
};

namespace {

/// When each token was last active, and how long it rested at most in between.
class Recurrence final : public SequenceState {
 public:
  struct Token {
    std::uint32_t last, longest_rest;
  };

  Recurrence(const AttentionShape& shape, double alpha)
      : alpha_(alpha),
        kv_heads_(shape.kv_heads),
        tokens_(std::size_t{shape.layers} * shape.kv_heads) {}

  void advance(const SequenceAttention& attention, std::uint32_t length) override {
    for (std::size_t set = 0; set < tokens_.size(); ++set)
      for (std::uint32_t query = length_; query < length; ++query)
        take(attention, static_cast<std::uint32_t>(set) / kv_heads_,
             static_cast<std::uint32_t>(set) % kv_heads_, query, tokens_[set]);
    length_ = std::max(length_, length);
  }

  std::span<const Token> tokens(std::uint32_t layer, std::uint32_t kv_head) const {
    return tokens_[layer * kv_heads_ + kv_head];
  }

 private:
  void take(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t kv_head,
            std::uint32_t query, std::vector<Token>& tokens) {
    const std::uint32_t group = attention.shape().group();
    row_.resize(std::size_t{query} + 1);
    tokens.push_back({query, 0});
    for (std::uint32_t member = 0; member < group; ++member) {
      attention.weights(layer, kv_head * group + member, query, row_);
      for (std::size_t j = 0; j < row_.size(); ++j) {
        if (double{row_[j]} <= alpha_ || tokens[j].last == query) continue;
        tokens[j] = {query, std::max(tokens[j].longest_rest, query - tokens[j].last)};
      }
    }
  }

  double alpha_;
  std::uint32_t kv_heads_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<Token>> tokens_;  // [layer · KV heads + KV head][position]
  std::vector<float> row_;
};

/// Tokens that rest no longer than they used to.
class LazyEviction final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t window = 175;
    double alpha = 1e-4;
    RecurrenceScore combine = RecurrenceScore::product;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("window", &Options::window, "tokens", {0, 1 << 24},
                 "Last tokens, which always stay. The method evicts once in so many steps: set "
                 "eviction.interval to the same. 175 as in one re-implementation.")
            .add("alpha", &Options::alpha, "share", {0, 1},
                 "A token is active for a query of which a head of the group pays it more than "
                 "this (the largest of the group: ours).")
            .add("combine", &Options::combine, "", {},
                 "How H1 = 2 sigmoid(-time since the token was active / MRI) and H2 = 2 sigmoid(-1 "
                 "/ MRI) become one score, MRI being the longest time between two activities, "
                 "counted from the token's own position (ours). A token that was never active "
                 "again has MRI 0, and the limits hold: H2 = 0, and H1 = 0 unless it is active now "
                 "(ours).");
    return table;
  }

  explicit LazyEviction(const Options& options) : options_(options) {}

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    needs.every_row = true;
    return needs;
  }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t) const override {
    return std::make_unique<Recurrence>(shape, options_.alpha);
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    const auto& state = static_cast<const Recurrence&>(*round.state);
    const std::uint32_t now = round.next_position - 1;
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      const auto tokens = state.tokens(layer, head);
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += worth(tokens[round.live[i]], now);
    });
  }

 private:
  double worth(const Recurrence::Token& token, std::uint32_t now) const {
    const double rest = now - token.last, longest = token.longest_rest;
    const double h1 = token.longest_rest > 0 ? twice_sigmoid(-rest / longest) : rest > 0 ? 0 : 1;
    const double h2 = token.longest_rest > 0 ? twice_sigmoid(-1 / longest) : 0;
    return options_.combine == RecurrenceScore::product ? h1 * h2 : h1 + h2;
  }

  static double twice_sigmoid(double x) { return 2 / (1 + portable_exp(std::min(-x, 700.0))); }

  Options options_;
};

}  // namespace

PolicyEntry lazy_eviction_entry() {
  PolicyEntry entry = entry_of<LazyEviction>(
      "lazy_eviction",
      "LazyEviction: keeps the last tokens and those that may come back, by how long they rested "
      "before.",
      "arXiv 2506.15969");
  entry.scope = Scope::per_layer_per_head;
  entry.trigger = TriggerKind::aligned;
  return entry;
}

}  // namespace vacancy
