// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/checkpoint.hpp"
#include "sim/attention/evicted_tokens.hpp"
#include "sim/attention/rope.hpp"
#include "sim/attention/tokenizer.hpp"

namespace vacancy {

/// What a forward pass records of every head: rows of head_dim floats, one per position.
enum class HeadVector : std::size_t { query_before_rope, query, key_before_rope, key, value };
inline constexpr std::size_t head_vector_kinds = 5;

/// One sequence being decoded: the vectors of all its tokens, those that no query reads any more
/// among them, and the last logits.
class DecodeState {
 public:
  explicit DecodeState(const TransformerConfig& config);

  /// Tokens that went through the model.
  std::uint32_t length() const { return length_; }
  /// Rows of positions [first, length()) of one head: a query head for queries, else a KV head.
  std::span<const float> rows(HeadVector kind, std::uint32_t layer, std::uint32_t head,
                              std::uint32_t first = 0) const;
  /// Scores of the next token; empty before the first, and after truncate().
  std::span<const float> logits() const { return logits_; }

  /// Which tokens queries of (layer, KV head) do not read.
  const EvictedTokens& evicted(std::uint32_t layer, std::uint32_t kv_head) const {
    return evicted_[std::size_t{layer} * config_.kv_heads + kv_head];
  }
  /// Tokens go on at position `length` as if there had been no more; no effect if there are not.
  void truncate(std::uint32_t length);
  /// EvictedTokens::retain, from length() on.
  void retain(std::uint32_t layer, std::uint32_t kv_head, std::span<const std::uint32_t> kept);

 private:
  friend class Transformer;

  std::vector<float>& store(HeadVector kind, std::uint32_t layer, std::uint32_t head);
  void record(HeadVector kind, std::uint32_t layer, std::span<const float> heads);

  TransformerConfig config_;
  std::uint32_t length_ = 0;
  RotaryTable rotary_;
  std::array<std::vector<std::vector<float>>, head_vector_kinds> rows_;  // [kind][layer·heads + h]
  std::vector<EvictedTokens> evicted_;                                   // [layer·kv_heads + h]
  std::vector<float> logits_;
};

/// A decoder-only transformer as llama2.c defines it: pre-norm RMSNorm, grouped-query attention
/// with interleaved rotary embedding (theta 10,000), SwiGLU; single precision. Keeps a reference
/// to the checkpoint.
class Transformer {
 public:
  static constexpr double rope_theta = 10'000.0;

  explicit Transformer(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  const TransformerConfig& config() const { return checkpoint_.config(); }

  /// Runs `token` at position state.length(), which is below seq_len. A UserError if the weights
  /// make it diverge.
  void forward(TokenId token, DecodeState& state) const;

 private:
  void attend(std::uint32_t layer, DecodeState& state, std::vector<float>& x) const;
  void feed_forward(std::uint32_t layer, std::vector<float>& x) const;

  const Checkpoint& checkpoint_;
};

}  // namespace vacancy
