// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

enum class Importance { pivotal, attention };
enum class KeepChoice { top_k, sample };

template <>
struct EnumNames<Importance> {
  static constexpr EnumName<Importance> table[] = {{Importance::pivotal, "pivotal"},
                                                   {Importance::attention, "attention"}};
};
template <>
struct EnumNames<KeepChoice> {
  static constexpr EnumName<KeepChoice> table[] = {{KeepChoice::top_k, "top_k"},
                                                   {KeepChoice::sample, "sample"}};
};

namespace {

/// The persistence of importance: tokens that were pivotal for the last queries.
///
/// With Gumbel variables G_i, the tokens of largest x_i + G_i are a draw without replacement by
/// softmax of x (Kool et al., arXiv 1903.06059): one number a token, whatever the order.
class Scissorhands final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    Importance importance = Importance::pivotal;
    std::uint32_t history = 400;
    std::uint32_t recent = 10;
    std::uint32_t sinks = 4;
    KeepChoice choice = KeepChoice::top_k;
    double temperature = 1.0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("importance", &Options::importance, "", {},
                 "How often a query paid the token more than its mean over the cached tokens "
                 "(pivotal, the paper's rule, counted per query head: ours), or how much it paid "
                 "(attention, a re-implementation's). Earlier rounds do not count (ours).")
            .add("history", &Options::history, "queries", {1, 1 << 24},
                 "The last queries, which count.")
            .add("recent", &Options::recent, "tokens", {0, 1 << 24},
                 "Last tokens that always stay.")
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens of the sequence that always stay.")
            .add("choice", &Options::choice, "", {},
                 "The most important tokens, or a draw without replacement by softmax of "
                 "importance / temperature.")
            .add("temperature", &Options::temperature, "", {1e-6, 1e6}, "For choice sample.");
    return table;
  }

  Scissorhands(const Options& options, const PolicyContext& context)
      : options_(options), key_(philox_key(context.seed)) {
    if (options.choice == KeepChoice::top_k && options.temperature != Options{}.temperature)
      throw UserError(
          "eviction.scissorhands.temperature belongs to choice sample. Set "
          "eviction.scissorhands.choice to sample, or remove it.");
  }

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    if (options_.importance != Importance::attention || options_.choice != KeepChoice::top_k)
      return std::nullopt;
    return WindowScores{.options = {options_.history, 1, Pooling::avg}, .scores_window = true};
  }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, options_.recent}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::uint32_t first_query = window_start(round, options_.history);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      if (options_.importance == Importance::attention)
        add_window_attention(round, layer, head, first_query, round.live.size(), sums,
                             scratch.vectors);
      else
        for_each_window_row(round, layer, head, first_query, scratch.vectors,
                            [&](auto row, std::size_t seen) { count(round, row, seen, sums); });
    });
    if (options_.choice == KeepChoice::sample) add_draws(round, scores, scratch);
  }

 private:
  static void count(const EvictionRound& round, std::span<const float> row, std::size_t seen,
                    std::span<double> counts) {
    double mass = 0;
    for (std::size_t i = 0; i < seen; ++i)
      mass += double{row[round.live[i]]};
    for (std::size_t i = 0; i < seen; ++i)
      counts[i] += double{row[round.live[i]]} * static_cast<double>(seen) > mass ? 1.0 : 0.0;
  }

  void add_draws(const EvictionRound& round, std::span<double> scores,
                 SelectionScratch& scratch) const {
    const HeadRange heads = round.heads();
    scratch.draws.resize(scores.size());
    philox_draws(key_, round.sequence.value(),
                 heads.first_layer * round.layout->kv_heads() + heads.first_head, round.number,
                 round.live, scratch.draws);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double exponential = -portable_log((scratch.draws[i] + 0.5) * 0x1.0p-32);
      scores[i] = scores[i] / options_.temperature - portable_log(exponential);
    }
  }

  Options options_;
  PhiloxKey key_;
};

}  // namespace

PolicyEntry scissorhands_entry() {
  PolicyEntry entry = entry_of<Scissorhands>(
      "scissorhands",
      "Scissorhands: keeps tokens that the last queries found important, sinks and the last "
      "tokens.",
      "arXiv 2305.17118; Zefan-Cai/KVCache-Factory");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
