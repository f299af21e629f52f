// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/eviction_round.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scaled.hpp"

// Made rounds on which a policy is held against a plain reading of its rule.

namespace vacancy::test {

/// Tokens j and j + period have the same keys, queries and values and get the same attention, so
/// that scores tie.
class AlikeTokens final : public SequenceAttention {
 public:
  AlikeTokens(const AttentionShape& shape, std::uint32_t length, std::uint32_t period,
              std::uint64_t seed)
      : made_(shape, length, seed), period_(period) {}

  const AttentionShape& shape() const override { return made_.shape(); }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return made_.length(); }
  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override {
    std::vector<float> made(row.size());
    made_.weights(layer, query_head, query, made);
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += double{made[j % period_]};
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(double{made[j % period_]} / sum);
  }
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override {
    each(first, out, [&](auto token, auto row) { made_.keys(layer, kv_head, token, row); });
  }
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override {
    each(first, out, [&](auto token, auto row) { made_.queries(layer, query_head, token, row); });
  }
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override {
    each(first, out, [&](auto token, auto row) { made_.values(layer, kv_head, token, row); });
  }
  void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                    std::span<double> norms) const override {
    for (double& norm : norms)
      made_.output_norms(layer, query_head, first++ % period_, std::span(&norm, 1));
  }
  void reread(std::uint32_t) override {}
  void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                     std::span<double> maxima) const override {
    made_.reread_maxima(layer, kv_head, maxima);
    for (std::size_t j = period_; j < maxima.size(); ++j)
      maxima[j] = maxima[j - period_];
  }

 private:
  template <class F>
  void each(std::uint32_t first, std::span<float> out, F&& f) const {
    const std::size_t dim = shape().head_dim;
    for (std::size_t at = 0; at < out.size(); at += dim)
      f(first++ % period_, out.subspan(at, dim));
  }

  FakeAttention made_;
  std::uint32_t period_;
};

/// Keys and values that a test gives, token by token, for one layer and head; queries are zero and
/// attention is even.
class GivenVectors final : public SequenceAttention {
 public:
  using Rows = std::vector<std::vector<float>>;
  GivenVectors(Rows keys, Rows values)
      : keys_(std::move(keys)),
        values_(std::move(values)),
        shape_{1, 1, 1, static_cast<std::uint32_t>(keys_.at(0).size())} {}

  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return static_cast<std::uint32_t>(keys_.size()); }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> row) const override {
    std::fill(row.begin(), row.end(), 1.0f / static_cast<float>(row.size()));
  }
  void keys(std::uint32_t, std::uint32_t, std::uint32_t first,
            std::span<float> out) const override {
    copy(keys_, first, out);
  }
  void queries(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0f);
  }
  void values(std::uint32_t, std::uint32_t, std::uint32_t first,
              std::span<float> out) const override {
    copy(values_, first, out);
  }

 private:
  void copy(const Rows& rows, std::uint32_t first, std::span<float> out) const {
    for (std::size_t at = 0; at < out.size(); at += shape_.head_dim)
      std::copy_n(rows.at(first++).begin(), shape_.head_dim,
                  out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  Rows keys_, values_;
  AttentionShape shape_;
};

inline std::vector<double> as_doubles(const std::vector<float>& row) {
  return {row.begin(), row.end()};
}
inline std::vector<double> key_of(const SequenceAttention& a, std::uint32_t layer,
                                  std::uint32_t head, std::uint32_t token) {
  std::vector<float> row(a.shape().head_dim);
  a.keys(layer, head, token, row);
  return as_doubles(row);
}
inline std::vector<double> value_of(const SequenceAttention& a, std::uint32_t layer,
                                    std::uint32_t head, std::uint32_t token) {
  std::vector<float> row(a.shape().head_dim);
  a.values(layer, head, token, row);
  return as_doubles(row);
}
inline double output_norm_of(const SequenceAttention& a, std::uint32_t layer,
                             std::uint32_t query_head, std::uint32_t token) {
  double norm = 0;
  a.output_norms(layer, query_head, token, std::span(&norm, 1));
  return norm;
}
inline std::vector<double> query_of(const SequenceAttention& a, std::uint32_t layer,
                                    std::uint32_t query_head, std::uint32_t token) {
  std::vector<float> row(a.shape().head_dim);
  a.queries(layer, query_head, token, row);
  return as_doubles(row);
}
inline std::vector<double> weights_of(const SequenceAttention& a, std::uint32_t layer,
                                      std::uint32_t query_head, std::uint32_t query) {
  std::vector<float> row(query + 1);
  a.weights(layer, query_head, query, row);
  return as_doubles(row);
}

inline double plain_dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    sum += a[c] * b[c];
  return sum;
}
inline double plain_norm(const std::vector<double>& a) {
  return std::sqrt(plain_dot(a, a));
}

/// Tokens [0, sinks) and the last `recent` always, then the largest scores, ties to the first.
inline Tokens plain_choice(const Tokens& live, const std::vector<double>& scores,
                           std::uint32_t length, Protection always, std::size_t keep) {
  const auto guarded = [&](std::size_t i) {
    return live[i] < always.sinks || live[i] + always.recent >= length;
  };
  Tokens order = first_tokens(static_cast<std::uint32_t>(live.size())), kept;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return guarded(a) != guarded(b) ? guarded(a) : !guarded(a) && scores[a] > scores[b];
  });
  for (std::size_t i = 0; i < keep; ++i)
    kept.push_back(live[order[i]]);
  std::sort(kept.begin(), kept.end());
  return kept;
}

/// One round of a made sequence: shape, live set, slots, scope and budget at random. One in three
/// has ties; half have slots that are not in position order.
struct MadeRound {
  MadeRound(Random& random, std::uint32_t min_length, std::uint32_t max_length) {
    const std::uint32_t kv_heads = 1 + random.below(2);
    c.shape = {1 + random.below(2), kv_heads * (1 + random.below(2)), kv_heads,
               2 * (1 + random.below(4))};
    c.length = min_length + random.below(max_length - min_length + 1);
    c.scope =
        random.of({Scope::model, Scope::per_layer, Scope::per_head, Scope::per_layer_per_head});
    c.block_size = random.of({4u, 16u});
    c.round = random.below(3);
    const std::uint32_t holes = random.of({2u, 6u, 1000u});  // one token in so many is gone
    for (std::uint32_t token = 0; token < c.length; ++token)
      if (!random.one_in(holes)) c.live.push_back(token);
    if (c.live.size() < 3) c.live = {0, 1, c.length - 1};
    c.slots = first_tokens(static_cast<std::uint32_t>(c.live.size()));
    if (random.one_in(2))
      for (std::size_t i = c.slots.size(); i-- > 1;)
        std::swap(c.slots[i], c.slots[random.below(static_cast<std::uint32_t>(i + 1))]);
    if (random.one_in(3))
      attention = std::make_unique<AlikeTokens>(c.shape, c.length, 5 + random.below(20),
                                                random.below(1000));
    else
      attention = std::make_unique<FakeAttention>(c.shape, c.length, random.below(1000));
    c.attention = attention.get();
  }
  MadeRound(const MadeRound&) = delete;
  MadeRound& operator=(const MadeRound&) = delete;

  /// A budget that leaves something to choose, or nothing if the protection does not.
  bool set_budget(Random& random, Protection always) {
    const auto guarded = static_cast<std::uint32_t>(
        std::count_if(c.live.begin(), c.live.end(), [&](std::uint32_t token) {
          return token < always.sinks || token + always.recent >= c.length;
        }));
    const auto live = static_cast<std::uint32_t>(c.live.size());
    if (guarded + 1 >= live) return false;
    c.options.budget = guarded + 1 + random.below(live - guarded - 1);
    return true;
  }

  Case c;
  std::unique_ptr<SequenceAttention> attention;
};

/// Holds the policy against a plain rule on scaled(count) made rounds. `reference(case, heads)`
/// gives the kept tokens of the set that speaks for `heads`; it may look at those that the policy
/// kept.
template <class Reference>
void check_against_rule(const EvictionPolicy& policy, std::uint32_t count, std::uint32_t min_length,
                        std::uint32_t max_length, Reference&& reference) {
  Random random(17);
  std::uint32_t checked = 0;
  for (std::uint32_t i = 0; i < scaled(count); ++i) {
    MadeRound made(random, min_length, max_length);
    if (!made.set_budget(random, policy.protection(0))) continue;
    const Case& c = made.c;
    INFO("round " << i << ", " << enum_name(c.scope) << ", " << c.live.size() << " of " << c.length
                  << ", budget " << c.options.budget);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
    const auto kept = c.keep(policy);
    REQUIRE(kept.size() == layout.policy_sets());
    for (std::uint32_t set = 0; set < layout.policy_sets(); ++set)
      if constexpr (std::is_invocable_v<Reference, const Case&, HeadRange, const Tokens&>)
        CHECK(kept[set] == reference(c, layout.heads(set), kept[set]));
      else
        CHECK(kept[set] == reference(c, layout.heads(set)));
    ++checked;
  }
  CHECK(checked > scaled(count) / 2);
}

/// One set of a round that is decided together, and what a rule may say of it.
struct PlainSet {
  HeadRange heads;
  Tokens live;
  std::vector<double> scores;  // of live tokens
  std::vector<bool> guarded;   // likewise
  std::uint32_t keep = 0;      // the equal budget

  std::size_t guards() const {
    return static_cast<std::size_t>(std::count(guarded.begin(), guarded.end(), true));
  }
  std::size_t open() const { return live.size() - guards(); }
  /// Of the equal budget, what is not guarded.
  std::size_t room() const { return keep - std::min<std::size_t>(keep, guards()); }
  /// Scores of tokens that may go.
  std::vector<double> open_scores() const {
    std::vector<double> result;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (!guarded[i]) result.push_back(scores[i]);
    return result;
  }
};

/// Of sets that compete the `wanted` best tokens that may go, as (score, set, place) in order; how
/// many are each set's.
inline std::vector<std::size_t> plain_counts(const std::vector<std::vector<double>>& scores,
                                             std::size_t wanted) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t set = 0; set < scores.size(); ++set)
    for (const double score : scores[set])
      order.emplace_back(score, set);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> counts(scores.size());
  for (std::size_t i = 0; i < std::min(wanted, order.size()); ++i)
    ++counts[order[i].second];
  return counts;
}

/// Holds a policy whose sets share what they keep against a plain rule, on scaled(count) made
/// rounds whose sets have different holes. `score(case, heads, live)` gives a set's scores,
/// `rule(case, sets)` the tokens that each set keeps, guarded ones included, before it is cut to
/// what the set has.
template <class Score, class Rule>
void check_shares(const EvictionPolicy& policy, std::uint32_t count, std::uint32_t min_length,
                  std::uint32_t max_length, Score&& score, Rule&& rule) {
  Random random(19);
  std::uint32_t checked = 0;
  for (std::uint32_t i = 0; i < scaled(count); ++i) {
    MadeRound made(random, min_length, max_length);
    Case& c = made.c;
    c.slots.clear();
    c.prompt = random.below(c.length);
    const Protection always = policy.protection(0);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
    c.live = first_tokens(c.length);
    if (!made.set_budget(random, always)) continue;
    std::vector<PlainSet> sets(layout.policy_sets());
    for (std::uint32_t set = 0; set < sets.size(); ++set) {
      PlainSet& plain = sets[set];
      plain.heads = layout.heads(set);
      plain.keep = c.options.budget;
      const std::uint32_t holes = random.of({2u, 6u, 1000u, 1000u});
      for (std::uint32_t token = 0; token < c.length; ++token) {
        const bool guarded = token < always.sinks || token + always.recent >= c.length;
        if (!guarded && random.one_in(holes)) continue;
        plain.live.push_back(token);
        plain.guarded.push_back(guarded);
      }
      c.lives.push_back(plain.live);
      plain.scores = score(c, plain.heads, plain.live);
    }
    INFO("round " << i << ", " << enum_name(c.scope) << ", " << c.length << " tokens, budget "
                  << c.options.budget);
    const auto kept = c.keep(policy);
    REQUIRE(kept.size() == sets.size());
    const std::vector<std::size_t> shares = rule(c, sets);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const std::size_t share =
          std::min(std::max(shares[set], sets[set].guards()), sets[set].live.size());
      CHECK(kept[set] == plain_choice(sets[set].live, sets[set].scores, c.length, always, share));
    }
    ++checked;
  }
  CHECK(checked > scaled(count) / 2);
}

/// Scores of the joined (layer, KV head) pairs, summed: `one(layer, head)` gives one pair's.
template <class One>
std::vector<double> summed_scores(const HeadRange& heads, std::size_t size, One&& one) {
  std::vector<double> sums(size);
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head) {
      const std::vector<double> scores = one(layer, head);
      for (std::size_t i = 0; i < size; ++i)
        sums[i] += scores[i];
    }
  return sums;
}

/// SnapKV's scores of a set's live tokens, read plainly: the last queries' attention, renormalised
/// over live tokens, query heads joined by sum or by maximum, then pooled.
inline std::vector<double> plain_window_scores(const Case& c, const HeadRange& heads,
                                               const Tokens& live, std::uint32_t window,
                                               std::size_t kernel, bool max_pool,
                                               bool max_group = false) {
  const std::uint32_t first = c.length - std::min(c.length, window);
  const auto candidates =
      static_cast<std::size_t>(std::lower_bound(live.begin(), live.end(), first) - live.begin());
  return summed_scores(heads, live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    // Near ties: the sums are those of the policy to the last bit only in the same order.
    std::vector<double> joined(candidates), own(candidates);
    const std::uint32_t group = c.shape.group();
    for (std::uint32_t q = head * group; q < (head + 1) * group; ++q) {
      if (max_group) std::fill(own.begin(), own.end(), 0.0);
      for (std::uint32_t query = first; query < c.length; ++query) {
        const auto row = weights_of(*c.attention, layer, q, query);
        double mass = 0;
        for (const std::uint32_t token : live)
          if (token <= query) mass += row[token];
        for (std::size_t i = 0; i < candidates; ++i)
          own[i] += mass > 0 ? row[live[i]] / mass : 0;
      }
      for (std::size_t i = 0; i < candidates; ++i)
        joined[i] = max_group ? std::max(joined[i], own[i]) : own[i];
    }
    std::vector<double> result(live.size());
    for (std::size_t i = 0; i < candidates; ++i) {
      double best = 0, sum = 0;
      for (std::size_t j = i - std::min(i, kernel / 2); j <= i + kernel / 2 && j < candidates;
           ++j) {
        best = std::max(best, joined[j]);
        sum += joined[j];
      }
      result[i] = max_pool ? best : sum / static_cast<double>(kernel);
    }
    return result;
  });
}

}  // namespace vacancy::test
