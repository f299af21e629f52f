// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/attention/checkpoint.hpp"
#include "sim/attention/sampler.hpp"
#include "sim/attention/tokenizer.hpp"
#include "sim/attention/transformer.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/philox.hpp"

namespace vacancy {

struct RealSourceOptions {
  std::filesystem::path checkpoint = "shared:data/stories260K/stories260K.bin";
  std::optional<std::filesystem::path> tokenizer;
  std::string prompt;
  double temperature = 1.0;
  double top_p = 1.0;
};

/// Attention of a real small transformer that writes text: the token that begins a text, the
/// prompt, then sampled tokens. Tokens that end a story are kept as separators and decoding goes
/// on behind them. The draw of the token at position p of sequence s is word 0 of Philox
/// (Stream::sampling, counter (s, 0, 0, p)): the same over a full and over an evicted cache.
class RealSource final : public AttentionSource {
 public:
  static const OptionTable<RealSourceOptions>& option_table();

  /// `tokens` is the beginning of every sequence, at least one token, at most seq_len.
  RealSource(Checkpoint checkpoint, std::vector<TokenId> tokens, SamplingOptions sampling,
             std::uint64_t seed);

  AttentionShape shape() const override { return shape_; }
  AttentionFeatures features() const override;
  double rope_theta() const override { return Transformer::rope_theta; }
  std::uint32_t max_length() const override { return checkpoint_.config().seq_len; }
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override;

 private:
  friend class RealSequence;

  TokenId next_token(const DecodeState& state, SequenceId id) const;

  Checkpoint checkpoint_;
  Transformer transformer_;
  AttentionShape shape_;
  std::vector<TokenId> beginning_;
  SamplingOptions sampling_;
  PhiloxKey key_;
};

/// Queries, keys and values are those of the forward pass; softmax rows are computed from them on
/// demand, by the very function that the forward pass uses. After retain() it goes on over what was
/// kept and writes what it reads there.
class RealSequence final : public SequenceAttention {
 public:
  RealSequence(const RealSource& source, SequenceId id);

  const AttentionShape& shape() const override { return source_.shape_; }
  void advance(std::uint32_t length) override;
  std::uint32_t length() const override { return state_.length(); }
  void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
               std::span<float> row) const override;
  void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
            std::span<float> out) const override;
  void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
               std::span<float> out) const override;
  void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
              std::span<float> out) const override;
  void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                    std::span<double> norms) const override;
  void reread(std::uint32_t context) override;
  void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                     std::span<double> maxima) const override;
  void retain(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t from,
              std::span<const std::uint32_t> kept) override;
  void weights_over_all(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                        std::span<float> row) const override;
  std::uint32_t same_next_tokens(std::uint32_t first, std::uint32_t last) override;

  /// Tokens [0, length()).
  std::span<const TokenId> tokens() const { return std::span(tokens_).first(length()); }
  /// The forward pass's records, pre-RoPE queries and keys among them.
  const DecodeState& state() const { return state_; }

 private:
  void copy_rows(HeadVector kind, std::uint32_t layer, std::uint32_t head, std::uint32_t first,
                 std::span<float> out) const;
  void softmax_row(const DecodeState& state, const EvictedTokens& evicted, std::uint32_t layer,
                   std::uint32_t query_head, std::uint32_t query, std::span<float> row) const;
  /// The token at a position up to length(): drawn when it is first asked for.
  TokenId token_at(std::uint32_t position);
  /// Forgets what was computed from a position on; the token there was drawn before.
  void truncate(std::uint32_t from);

  const RealSource& source_;
  SequenceId id_;
  DecodeState state_;
  std::vector<TokenId> tokens_;       // up to length(), and the next one once it was asked for
  std::optional<DecodeState> twice_;  // a context and itself again
  std::optional<DecodeState> full_;   // the same text with nothing evicted, as far as asked for
};

}  // namespace vacancy
