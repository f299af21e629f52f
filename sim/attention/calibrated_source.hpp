// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/attention/calibration.hpp"
#include "sim/attention/query_law.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

struct CalibratedSourceOptions {
  std::filesystem::path file = "shared:data/triattention-stats/qwen3-8b.bin";
  double modulus_spread = 0.9;

  // Keys and values: our own process, see CalibratedSource.
  double local_logit = 3.0;
  double noise_logit = 1.5;
  double heavy_logit = 4.0;
  double heavy_fraction = 0.02;
  double heavy_sharing = 0.5;
  double sink_logit = 6.0;
  std::uint32_t sink_tokens = 4;
  double slow_horizon = 4096.0;
  double value_concentration = 0.5;
};

/// Queries, keys and values at the size of a real model, whose pre-RoPE query statistics follow a
/// TriAttention calibration (QueryLaw says how); rotary embedding in the "half" pairing with the
/// model's own theta, never the file's.
///
/// No statistics of keys and values are published, so their process is ours. It is stated in
/// logits, i.e. in what softmax sees: g_f is the mean over the KV head's query heads of E[q_f], and
/// a pre-RoPE key is the sum of
///
/// - a local part, the same for all tokens, along g: a query equal to g pays it the logit
///   local_logit · Σ|g_f|²cos(ω_f·Δ) / Σ|g_f|² at distance Δ, so attention falls with distance the
///   way the head's own frequencies say;
/// - noise: independent normal components, scaled so that a query of the group's mean squared norm
///   pays it a logit of standard deviation noise_logit;
/// - on heavy tokens and sinks, a part along the phases of g in the slow bands (those that turn by
///   at most one radian over slow_horizon tokens, at least the slowest): a query equal to g pays it
///   about heavy_logit, or sink_logit, at any distance below the horizon.
///
/// The first sink_tokens tokens are the sinks. Another token is heavy for a (layer, KV head) with
/// probability heavy_fraction: by the sequence's coin common to all heads with probability
/// heavy_sharing, else by the head's own. Values are value_concentration · (a normal vector fixed
/// for the head) plus, scaled to unit variance, a normal vector of the token.
///
/// Every vector is a function of (seed, sequence, layer, head, token) and made when asked for.
class CalibratedSource final : public AttentionSource {
 public:
  static const OptionTable<CalibratedSourceOptions>& option_table();

  /// A UserError unless the calibration covers every head of `shape`.
  CalibratedSource(const Calibration& calibration, AttentionShape shape, double rope_theta,
                   const CalibratedSourceOptions& options, std::uint64_t seed);

  AttentionShape shape() const override { return shape_; }
  AttentionFeatures features() const override;
  std::uint32_t max_length() const override { return 1 << 18; }  // bounds the rotary table
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override;

 private:
  friend class CalibratedSequence;

  /// What the keys and values of one (layer, KV head) are made of.
  struct KeyLaw {
    std::vector<float> local;  // "half" pairing
    std::vector<float> slow;   // for one logit
    float noise = 0.0f;        // standard deviation of a component
    std::vector<float> value_mean;
  };
  KeyLaw make_key_law(const Calibration& calibration, std::uint32_t layer, std::uint32_t kv_head,
                      const std::vector<double>& frequencies) const;

  AttentionShape shape_;
  double rope_theta_;
  CalibratedSourceOptions options_;
  std::uint64_t seed_;
  std::vector<QueryLaw> queries_;  // [layer][query head]
  std::vector<KeyLaw> keys_;       // [layer][KV head]
};

}  // namespace vacancy
