// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/softmax.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/eviction/window_scores.hpp"

namespace vacancy {
namespace {

/// Attention of the last queries minus redundancy among the keys. Time grows with the square of the
/// cached tokens.
class Rkv final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options : WindowOptions {
    Options() : WindowOptions{8, 7, Pooling::max} {}
    double lambda = 0.07;
    double threshold = 0.5;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = window_options<Options>(false)
                                  .add("lambda", &Options::lambda, "share", {0, 1},
                                       "Weight of attention; the rest is that of redundancy. 0.07 "
                                       "in the code, 0.1 in its description.")
                                  .add("threshold", &Options::threshold, "", {0, 1},
                                       "Cosine above which a key duplicates another; the newest "
                                       "duplicate does not count. A key without duplicates loses "
                                       "nothing (ours; the public code then leaves out token 0).");
    return table;
  }

  explicit Rkv(const Options& options) : options_(options) {
    check_pooling_kernel("eviction.r_kv.kernel", options.kernel);
  }

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return RedundancyScores{options_, options_.lambda, options_.threshold};
  }
  // Logits, not softmax rows: the maximum over a group's heads is taken before the softmax.
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.queries = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::size_t tokens = round.live.size(), dim = round.attention->shape().head_dim;
    const std::uint32_t first_query = window_start(round, options_.window);
    const std::size_t candidates = live_before(round, first_query);
    if (candidates == 0) return std::fill(scores.begin(), scores.end(), 0.0);
    // Channel by channel, so that loops over tokens vectorise in a fixed order of additions.
    scratch.rows.resize(dim * tokens);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      scratch.parts.resize(4 * tokens);
      const auto part = [&](std::size_t i) {
        return std::span(scratch.parts).subspan(i * tokens, tokens);
      };
      const auto norms = part(0), worth = part(1), spare = part(2), other = part(3);
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        norms[i] = l2_norm(key) + 1e-8;
        for (std::size_t c = 0; c < dim; ++c)
          scratch.rows[c * tokens + i] = key[c];
      });
      const std::span<const float> keys = scratch.rows;

      const auto attention = worth.first(candidates);
      add_attention(round, layer, head, first_query, keys, attention, spare, other,
                    scratch.vectors);
      const auto pooled = spare.first(candidates);
      std::fill(pooled.begin(), pooled.end(), 0.0);
      add_pooled(attention, options_.kernel, options_.pooling, pooled);
      for (std::size_t i = 0; i < candidates; ++i)
        sums[i] += options_.lambda * pooled[i];

      find_redundancy(keys, norms, worth, spare);
      for (std::size_t i = 0; i < candidates; ++i)
        sums[i] -= (1 - options_.lambda) * worth[i];
    });
  }

 private:
  /// out[i] = sum over channels of vector[c] * keys[c][i], for the first out.size() tokens.
  static void dots(std::span<const float> keys, std::size_t tokens, const auto& channel,
                   std::size_t dim, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < dim; ++c) {
      const double x = channel(c);
      const float* const row = keys.data() + c * tokens;
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += x * double{row[i]};
    }
  }

  /// received[i]: softmax over the candidates of the group's largest logits, mean over the queries.
  void add_attention(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                     std::uint32_t first_query, std::span<const float> keys,
                     std::span<double> received, std::span<double> best, std::span<double> logits,
                     std::vector<float>& query) const {
    const AttentionShape& shape = round.attention->shape();
    const std::size_t candidates = received.size(), tokens = best.size();
    const double scale = 1 / std::sqrt(static_cast<double>(shape.head_dim));
    best = best.first(candidates);
    logits = logits.first(candidates);
    query.resize(shape.head_dim);
    std::fill(received.begin(), received.end(), 0.0);
    for (std::uint32_t position = first_query; position < round.next_position; ++position) {
      std::fill(best.begin(), best.end(), -std::numeric_limits<double>::infinity());
      for (std::uint32_t member = 0; member < shape.group(); ++member) {
        round.attention->queries(layer, kv_head * shape.group() + member, position, query);
        dots(
            keys, tokens, [&](std::size_t c) { return double{query[c]}; }, query.size(), logits);
        for (std::size_t i = 0; i < candidates; ++i)
          best[i] = std::max(best[i], logits[i] * scale);
      }
      to_softmax(best);
      for (std::size_t i = 0; i < candidates; ++i)
        received[i] += best[i] / (round.next_position - first_query);
    }
  }

  /// redundancy[j]: softmax over all tokens, the window's included, of the mean cosine of key j to
  /// the others, each of which leaves out its newest duplicate.
  void find_redundancy(std::span<const float> keys, std::span<const double> norms,
                       std::span<double> redundancy, std::span<double> row) const {
    const std::size_t tokens = norms.size(), dim = keys.size() / tokens;
    std::fill(redundancy.begin(), redundancy.end(), 0.0);
    for (std::size_t i = 0; i < tokens; ++i) {
      dots(
          keys, tokens, [&](std::size_t c) { return double{keys[c * tokens + i]}; }, dim, row);
      for (std::size_t j = 0; j < tokens; ++j)
        row[j] /= norms[i] * norms[j];
      row[i] = 0;
      for (std::size_t j = tokens; j-- > 0;) {
        if (row[j] <= options_.threshold) continue;
        row[j] = 0;
        break;
      }
      for (std::size_t j = 0; j < tokens; ++j)
        redundancy[j] += row[j];
    }
    for (double& sum : redundancy)
      sum /= static_cast<double>(tokens);
    to_softmax(redundancy);
  }

  Options options_;
};

}  // namespace

PolicyEntry r_kv_entry() {
  PolicyEntry entry = entry_of<Rkv>(
      "r_kv",
      "R-KV: keeps what the last queries attend to and no other key repeats, and the last tokens.",
      "arXiv 2505.24133; Zefan-Cai/R-KV");
  entry.scope = Scope::per_layer_per_head;
  entry.trigger = TriggerKind::aligned;
  return entry;
}

}  // namespace vacancy
