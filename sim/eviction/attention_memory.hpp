// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/eviction/policy.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

/// How the attention that a token received from one query after another becomes one score.
enum class MemoryKind { sum, ema, per_age, window, future };

template <>
struct EnumNames<MemoryKind> {
  static constexpr EnumName<MemoryKind> table[] = {{MemoryKind::sum, "sum"},
                                                   {MemoryKind::ema, "ema"},
                                                   {MemoryKind::per_age, "per_age"},
                                                   {MemoryKind::window, "window"},
                                                   {MemoryKind::future, "future"}};
};

/// A policy that lets the user choose derives its options from this.
struct MemoryOptions {
  MemoryKind memory = MemoryKind::sum;
  double half_life = 128;            // queries, for ema
  std::uint32_t memory_window = 32;  // queries, for window and future
};

/// The parameters of MemoryOptions in front of a policy's own.
template <class Options>
OptionTable<Options> with_memory_options(OptionTable<Options> table) {
  return std::move(
      table
          .add("memory", static_cast<MemoryKind Options::*>(&Options::memory), "", {},
               "How the attention of all queries so far becomes a token's score: their sum; ema, "
               "which halves what was there every half_life queries; per_age, the sum divided by "
               "the number of queries that could see the token; window, the sum over the last "
               "memory_window queries; or future, the sum over as many queries to come, which only "
               "an oracle knows: a yardstick (where none come, the last query).")
          .add("half_life", static_cast<double Options::*>(&Options::half_life), "queries",
               {0.01, 1e9}, "For memory ema: queries after which attention counts half.")
          .add("memory_window", static_cast<std::uint32_t Options::*>(&Options::memory_window),
               "queries", {1, 1 << 24},
               "For memory window: the last queries, which count; for future the next ones."));
}

/// Throws UserError where an option is set that the memory does not read; `place` is the policy's
/// key, such as "eviction.block_h2o".
void check_memory_options(const std::string& place, const MemoryOptions& options);

/// The attention that every token received so far, per (layer, KV head), summed over the query
/// heads of the group: the state that H2O and its kin carry.
class AttentionMemory final : public SequenceState {
 public:
  AttentionMemory(const AttentionShape& shape, const MemoryOptions& options);

  void look_ahead(std::uint32_t known) override { known_ = known; }
  void advance(const SequenceAttention& attention, std::uint32_t length) override;

  /// Adds to scores[i] what (layer, KV head) remembers of tokens[i], one of those before length().
  void add_scores(std::uint32_t layer, std::uint32_t kv_head, std::span<const std::uint32_t> tokens,
                  std::span<double> scores) const;
  std::uint32_t length() const { return length_; }

 private:
  void add_decayed(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t kv_head,
                   std::uint32_t last, std::span<double> sums);
  void add_future(const SequenceAttention& attention, std::uint32_t layer, std::uint32_t kv_head,
                  std::uint32_t length, std::vector<double>& sums);

  MemoryOptions options_;
  double decay_;  // of one query, for ema
  std::uint32_t kv_heads_;
  std::uint32_t length_ = 0;
  std::uint32_t known_ = 0;  // for future
  std::vector<std::vector<double>> sums_;
  std::vector<float> row_;
};

/// What a policy needs that scores by an AttentionMemory, which its `open_state` makes.
PolicyNeeds attention_memory_needs(const MemoryOptions& options);

/// scores[i]: what the round's state, an AttentionMemory, remembers of live[i], summed over the
/// heads for which the set speaks.
void score_by_attention_memory(const EvictionRound& round, std::span<double> scores);

}  // namespace vacancy
