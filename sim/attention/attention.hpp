// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sim/units/units.hpp"

namespace vacancy {

/// Heads of the attention that scores come from. Query head h reads KV head h / group().
struct AttentionShape {
  std::uint32_t layers = 0;
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;  // 0 when a source has weights but no vectors

  std::uint32_t group() const { return query_heads / kv_heads; }
  bool operator==(const AttentionShape&) const = default;
};

/// What a source can give, and what a policy asks for.
struct AttentionFeatures {
  bool weights = false;  // softmax rows
  bool keys = false;     // post-RoPE keys
  bool queries = false;  // post-RoPE queries
  bool values = false;
  bool output_norms = false;  // how much values add to a layer's output
  /// Keys and queries rotate dimension i with i + head_dim / 2, as most models do; without it,
  /// neighbours (llama2.c checkpoints).
  bool half_rotary = false;
  bool rereading = false;  // attention of a second reading of the text
  /// Can decode on over an evicted cache, as SequenceAttention::retain says.
  bool own_trajectory = false;

  /// True if everything that `needed` names is here.
  bool cover(const AttentionFeatures& needed) const {
    return (weights || !needed.weights) && (keys || !needed.keys) && (queries || !needed.queries) &&
           (values || !needed.values) && (output_norms || !needed.output_norms) &&
           (half_rotary || !needed.half_rotary) && (rereading || !needed.rereading) &&
           (own_trajectory || !needed.own_trajectory);
  }
  bool operator==(const AttentionFeatures&) const = default;
};

/// Attention inside one sequence: of an uncompressed run, unless retain() says what was evicted.
/// Positions are absolute (TokenPos values); layers, heads, positions are in range or it is a bug.
/// A function of (source, seed, sequence, what was retained): the order of the other calls changes
/// nothing but the time they take.
class SequenceAttention {
 public:
  virtual ~SequenceAttention() = default;

  virtual const AttentionShape& shape() const = 0;

  /// Makes tokens [0, length) available; shorter than before is a no-op. Everything below may be
  /// asked only about available tokens. A source may limit the length (see AttentionSource).
  virtual void advance(std::uint32_t length) = 0;
  virtual std::uint32_t length() const = 0;

  /// Softmax attention that query position `query` of `query_head` pays to tokens 0..query:
  /// `row` has query + 1 entries, non-negative, sum 1 up to rounding.
  virtual void weights(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                       std::span<float> row) const = 0;

  /// Adds to sums[j] the attention that queries [first, last) of all query heads of the KV head's
  /// group paid to token j, in ascending order of (query head, query); sums.size() >= last.
  virtual void add_column_sums(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                               std::uint32_t last, std::span<double> sums) const;

  /// Rows of head_dim floats for tokens first, first + 1, …; out.size() is a multiple of head_dim.
  /// Post-RoPE, in the model's own pairing. Only where features() say so.
  virtual void keys(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                    std::span<float> out) const;
  virtual void queries(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                       std::span<float> out) const;
  virtual void values(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t first,
                      std::span<float> out) const;

  /// norms[i]: |Wo v|_1, what the value v of token first + i would add to the layer's output if the
  /// query head read nothing else; Wo is the head's part of the output projection.
  virtual void output_norms(std::uint32_t layer, std::uint32_t query_head, std::uint32_t first,
                            std::span<double> norms) const;

  /// Reads tokens [0, context) a second time, behind themselves: the attention that these repeated
  /// queries pay to the first reading becomes available. Twice the context is at most the source's
  /// max_length(). Again with the same context is a no-op.
  virtual void reread(std::uint32_t context);
  /// maxima[j]: the largest attention that a repeated query of the KV head's group pays to token j;
  /// maxima.size() is the context of the last `reread`.
  virtual void reread_maxima(std::uint32_t layer, std::uint32_t kv_head,
                             std::span<double> maxima) const;

  // Decoding over an evicted cache. Only where features() say so.

  /// Of the tokens before position `from`, which is at most length(), queries of (layer, KV head)
  /// from there on read only `kept`, ascending. Keys stay as they were stored, rotated by the
  /// position that their token had. What was available from `from` on was computed without this
  /// eviction: it is not any more, and advance() computes it anew. No call has a smaller `from`
  /// than the one before; an evicted token does not come back.
  virtual void retain(std::uint32_t layer, std::uint32_t kv_head, std::uint32_t from,
                      std::span<const std::uint32_t> kept);
  /// The row that the query would have if no token had been evicted from under it: softmax over all
  /// tokens 0..query, by the keys that this sequence stored. weights() where nothing was.
  virtual void weights_over_all(std::uint32_t layer, std::uint32_t query_head, std::uint32_t query,
                                std::span<float> row) const {
    weights(layer, query_head, query, row);
  }
  /// Of the queries [first, last), how many are followed by the token that the same draw would have
  /// picked if the model had read the same text with nothing evicted.
  virtual std::uint32_t same_next_tokens(std::uint32_t first, std::uint32_t last);
};

/// Where scores come from: a real small transformer, calibrated statistics, a synthetic process,
/// uniform random weights. Immutable; sequences may be opened from several threads.
class AttentionSource {
 public:
  virtual ~AttentionSource() = default;

  virtual AttentionShape shape() const = 0;
  virtual AttentionFeatures features() const = 0;
  /// Base of the rotary embedding of keys and queries, where the source brings its own; 0 = that of
  /// the model.
  virtual double rope_theta() const { return 0; }
  /// The longest sequence the source can produce.
  virtual std::uint32_t max_length() const = 0;
  /// Opens sequence `id`; equal ids give equal sequences. The source outlives it; one thread at a
  /// time uses it.
  virtual std::unique_ptr<SequenceAttention> open(SequenceId id) const = 0;
};

}  // namespace vacancy
