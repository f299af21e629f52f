// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/transformer.hpp"

#include <algorithm>
#include <cmath>

#include "sim/attention/vector_math.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr float norm_epsilon = 1e-5f;

bool is_query(HeadVector kind) {
  return kind == HeadVector::query || kind == HeadVector::query_before_rope;
}

void add(std::span<float> x, std::span<const float> y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

}  // namespace

DecodeState::DecodeState(const TransformerConfig& config)
    : config_(config),
      rotary_(config.head_dim(), Transformer::rope_theta, RopePairing::interleaved),
      evicted_(std::size_t{config.layers} * config.kv_heads) {
  for (std::size_t kind = 0; kind < head_vector_kinds; ++kind) {
    const auto heads = is_query(static_cast<HeadVector>(kind)) ? config.heads : config.kv_heads;
    rows_[kind].resize(std::size_t{config.layers} * heads);
  }
}

std::vector<float>& DecodeState::store(HeadVector kind, std::uint32_t layer, std::uint32_t head) {
  const auto heads = is_query(kind) ? config_.heads : config_.kv_heads;
  return rows_[static_cast<std::size_t>(kind)][std::size_t{layer} * heads + head];
}

std::span<const float> DecodeState::rows(HeadVector kind, std::uint32_t layer, std::uint32_t head,
                                         std::uint32_t first) const {
  const auto heads = is_query(kind) ? config_.heads : config_.kv_heads;
  VACANCY_ASSERT(layer < config_.layers && head < heads && first <= length_, "rows in range");
  return std::span(rows_[static_cast<std::size_t>(kind)][std::size_t{layer} * heads + head])
      .subspan(std::size_t{first} * config_.head_dim());
}

void DecodeState::record(HeadVector kind, std::uint32_t layer, std::span<const float> heads) {
  const std::size_t d = config_.head_dim();
  for (std::uint32_t h = 0; h * d < heads.size(); ++h) {
    const auto row = heads.subspan(h * d, d);
    auto& rows = store(kind, layer, h);
    rows.insert(rows.end(), row.begin(), row.end());
  }
}

void DecodeState::truncate(std::uint32_t length) {
  if (length >= length_) return;
  for (auto& kind : rows_)
    for (std::vector<float>& rows : kind)
      rows.resize(std::size_t{length} * config_.head_dim());
  length_ = length;
  logits_.clear();
}

void DecodeState::retain(std::uint32_t layer, std::uint32_t kv_head,
                         std::span<const std::uint32_t> kept) {
  evicted_[std::size_t{layer} * config_.kv_heads + kv_head].retain(length_, kept);
}

void Transformer::attend(std::uint32_t layer, DecodeState& state, std::vector<float>& x) const {
  const auto& c = config();
  const auto w = [&](Weight which) { return checkpoint_.weight(which, layer); };
  std::vector<float> normed(c.dim), heads(c.dim), kv(c.kv_dim());
  rms_norm(x, w(Weight::attention_norm), norm_epsilon, normed);

  const auto record_rotated = [&](std::span<float> vectors, HeadVector before, HeadVector after) {
    state.record(before, layer, vectors);
    for (std::size_t at = 0; at < vectors.size(); at += c.head_dim())
      state.rotary_.rotate(vectors.subspan(at, c.head_dim()), state.length_);
    state.record(after, layer, vectors);
  };
  matrix_vector(w(Weight::wk), normed, kv);
  record_rotated(kv, HeadVector::key_before_rope, HeadVector::key);
  matrix_vector(w(Weight::wv), normed, kv);
  state.record(HeadVector::value, layer, kv);
  matrix_vector(w(Weight::wq), normed, heads);
  record_rotated(heads, HeadVector::query_before_rope, HeadVector::query);

  std::vector<std::uint32_t> read;
  std::vector<float> row, query(c.head_dim()), read_keys, read_values;
  for (std::uint32_t kv_head = 0; kv_head < c.kv_heads; ++kv_head) {
    std::span<const float> keys = state.store(HeadVector::key, layer, kv_head);
    std::span<const float> values = state.store(HeadVector::value, layer, kv_head);
    if (const EvictedTokens& evicted = state.evicted(layer, kv_head); !evicted.none()) {
      evicted.list_read(state.length_, read);
      keys = gather_rows(keys, c.head_dim(), read, read_keys);
      values = gather_rows(values, c.head_dim(), read, read_values);
    }
    row.resize(keys.size() / c.head_dim());
    for (std::uint32_t h = kv_head * c.group(); h < (kv_head + 1) * c.group(); ++h) {
      const auto head = std::span(heads).subspan(std::size_t{h} * c.head_dim(), c.head_dim());
      std::copy(head.begin(), head.end(), query.begin());
      attention_row(query, keys, row);
      weighted_sum(row, values, head);
    }
  }
  matrix_vector(w(Weight::wo), heads, normed);
  add(x, normed);
}

void Transformer::feed_forward(std::uint32_t layer, std::vector<float>& x) const {
  const auto& c = config();
  const auto w = [&](Weight which) { return checkpoint_.weight(which, layer); };
  std::vector<float> normed(c.dim), gate(c.hidden_dim), up(c.hidden_dim);
  rms_norm(x, w(Weight::feed_forward_norm), norm_epsilon, normed);
  matrix_vector(w(Weight::w1), normed, gate);
  matrix_vector(w(Weight::w3), normed, up);
  swiglu(gate, up);
  matrix_vector(w(Weight::w2), gate, normed);
  add(x, normed);
}

void Transformer::forward(TokenId token, DecodeState& state) const {
  const auto& c = config();
  VACANCY_ASSERT(token < c.vocab_size, "a token of this vocabulary");
  VACANCY_ASSERT(state.length_ < c.seq_len, "a position that the model knows");
  state.rotary_.grow(state.length_ + 1);

  const auto embedding =
      checkpoint_.weight(Weight::token_embedding).subspan(std::size_t{token} * c.dim, c.dim);
  std::vector<float> x(embedding.begin(), embedding.end());
  for (std::uint32_t layer = 0; layer < c.layers; ++layer) {
    attend(layer, state, x);
    feed_forward(layer, x);
  }
  ++state.length_;

  std::vector<float> normed(c.dim);
  rms_norm(x, checkpoint_.weight(Weight::final_norm), norm_epsilon, normed);
  state.logits_.resize(c.vocab_size);
  matrix_vector(checkpoint_.weight(Weight::classifier), normed, state.logits_);
  if (!std::all_of(state.logits_.begin(), state.logits_.end(),
                   [](float value) { return std::isfinite(value); }))
    throw UserError("the checkpoint's weights overflow single precision at position " +
                    std::to_string(state.length_ - 1) + "; use another checkpoint");
}

}  // namespace vacancy
