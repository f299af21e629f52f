// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/attention/checkpoint.hpp"
#include "sim/attention/tokenizer.hpp"

namespace vacancy::test {

/// The forward pass of a llama2.c checkpoint in double and in plain loops, over the attention that
/// a mask allows. Nothing of it is sim/attention's but the weights.
class PlainTransformer {
 public:
  using Vector = std::vector<double>;
  /// Whether a query of (layer, KV head) reads a token, which is not behind it.
  using Reads = std::function<bool(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t query,
                                   std::uint32_t token)>;

  explicit PlainTransformer(const Checkpoint& checkpoint)
      : checkpoint_(checkpoint),
        c_(checkpoint.config()),
        queries_(c_.layers * c_.heads),
        keys_(c_.layers * c_.kv_heads),
        values_(c_.layers * c_.kv_heads) {}

  /// Runs the next token; returns the scores of the one behind it.
  Vector forward(TokenId token, const Reads& reads) {
    Vector x(c_.dim);
    const auto embedding = checkpoint_.weight(Weight::token_embedding);
    for (std::uint32_t i = 0; i < c_.dim; ++i)
      x[i] = double{embedding[token * c_.dim + i]};
    for (std::uint32_t layer = 0; layer < c_.layers; ++layer) {
      add(x, attention(layer, norm(x, Weight::attention_norm, layer), reads));
      const Vector normed = norm(x, Weight::feed_forward_norm, layer);
      Vector gate = product(Weight::w1, layer, normed);
      const Vector up = product(Weight::w3, layer, normed);
      for (std::size_t i = 0; i < gate.size(); ++i)
        gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
      add(x, product(Weight::w2, layer, gate));
    }
    ++length_;
    return product(Weight::classifier, 0, norm(x, Weight::final_norm, 0));
  }

  std::uint32_t length() const { return length_; }
  const Vector& query(std::uint32_t layer, std::uint32_t head, std::uint32_t position) const {
    return queries_[layer * c_.heads + head][position];
  }
  const Vector& key(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t position) const {
    return keys_[layer * c_.kv_heads + kv_head][position];
  }
  const Vector& value(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t position) const {
    return values_[layer * c_.kv_heads + kv_head][position];
  }

  /// Softmax over the tokens that the query reads; 0 elsewhere.
  Vector row(std::uint32_t layer, std::uint32_t head, std::uint32_t query,
             const Reads& reads) const {
    const std::uint32_t kv_head = head / c_.group();
    const Vector& q = this->query(layer, head, query);
    Vector row(query + 1, 0.0);
    double sum = 0;
    for (std::uint32_t token = 0; token <= query; ++token) {
      if (!reads(layer, kv_head, query, token)) continue;
      const Vector& k = key(layer, kv_head, token);
      double score = 0;
      for (std::size_t i = 0; i < q.size(); ++i)
        score += q[i] * k[i];
      row[token] = std::exp(score / std::sqrt(double(q.size())));
      sum += row[token];
    }
    for (double& weight : row)
      weight /= sum;
    return row;
  }

 private:
  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += y[i];
  }

  Vector norm(const Vector& x, Weight which, std::uint32_t layer) const {
    const auto weight = checkpoint_.weight(which, layer);
    double squares = 0;
    for (const double value : x)
      squares += value * value;
    Vector out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = double{weight[i]} * x[i] / std::sqrt(squares / double(x.size()) + 1e-5);
    return out;
  }

  Vector product(Weight which, std::uint32_t layer, const Vector& x) const {
    const auto w = checkpoint_.weight(which, layer);
    Vector out(w.size() / x.size(), 0.0);
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j)
        out[i] += double{w[i * x.size() + j]} * x[j];
    return out;
  }

  /// One vector per head, its pairs of neighbours turned by the position's angles if `rotated`.
  void store(const Vector& heads, std::vector<std::vector<Vector>>& rows, std::uint32_t layer,
             bool rotated) const {
    const std::size_t d = c_.head_dim(), count = heads.size() / d;
    for (std::size_t h = 0; h < count; ++h) {
      Vector v(d);
      for (std::size_t i = 0; i < d; i += 2) {
        const double angle = rotated ? length_ * std::pow(10'000.0, -double(i) / double(d)) : 0.0;
        const double a = heads[h * d + i], b = heads[h * d + i + 1];
        v[i] = a * std::cos(angle) - b * std::sin(angle);
        v[i + 1] = a * std::sin(angle) + b * std::cos(angle);
      }
      rows[layer * count + h].push_back(v);
    }
  }

  Vector attention(std::uint32_t layer, const Vector& x, const Reads& reads) {
    store(product(Weight::wq, layer, x), queries_, layer, true);
    store(product(Weight::wk, layer, x), keys_, layer, true);
    store(product(Weight::wv, layer, x), values_, layer, false);
    const std::size_t d = c_.head_dim();
    Vector heads(c_.dim, 0.0);
    for (std::uint32_t head = 0; head < c_.heads; ++head) {
      const Vector weights = row(layer, head, length_, reads);
      for (std::uint32_t token = 0; token <= length_; ++token)
        for (std::size_t i = 0; i < d; ++i)
          heads[head * d + i] += weights[token] * value(layer, head / c_.group(), token)[i];
    }
    return product(Weight::wo, layer, heads);
  }

  const Checkpoint& checkpoint_;
  TransformerConfig c_;
  std::uint32_t length_ = 0;
  std::vector<std::vector<Vector>> queries_, keys_, values_;  // [layer·heads + h][position]
};

/// What rounds left: the tokens that (layer, KV head) held just after each.
class MaskOfRounds {
 public:
  explicit MaskOfRounds(const AttentionShape& shape) : shape_(shape) {}

  /// A round before the token at `position`; kept[layer·kv_heads + h] are the tokens held.
  void add(std::uint32_t position, std::vector<std::vector<std::uint32_t>> kept) {
    rounds_.push_back({position, std::move(kept)});
  }
  bool reads(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t query,
             std::uint32_t token) const {
    for (const Round& round : rounds_) {
      if (query < round.position || token >= round.position) continue;
      const auto& kept = round.kept[layer * shape_.kv_heads + kv_head];
      if (std::find(kept.begin(), kept.end(), token) == kept.end()) return false;
    }
    return true;
  }
  PlainTransformer::Reads function() const {
    return [this](auto... at) { return reads(at...); };
  }

 private:
  struct Round {
    std::uint32_t position;
    std::vector<std::vector<std::uint32_t>> kept;
  };
  AttentionShape shape_;
  std::vector<Round> rounds_;
};

inline bool reads_all(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {
  return true;
}

}  // namespace vacancy::test
