// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/attention/draws.hpp"
#include "sim/registry/parameter.hpp"

namespace vacancy {

struct SyntheticSourceOptions {
  std::optional<std::uint32_t> layers, query_heads, kv_heads;  // of the model if not set
  double correlation = 0.5;

  // How a query splits its attention; divided by their sum.
  double sink_share = 0.25, recency_share = 0.35, heavy_share = 0.25, burst_share = 0.10,
         uniform_share = 0.05;

  double sink_0 = 0.70, sink_1 = 0.15, sink_2 = 0.10, sink_3 = 0.05;
  double recency_exponent = 1.2;

  double heavy_fraction = 0.02;
  double heavy_run = 4.0;
  double heavy_tail = 1.5, heavy_cap = 100.0;
  double heavy_permanent = 0.5, heavy_life = 1024.0;
  std::uint32_t heavy_window = 32;
  double heavy_on = 0.25;

  std::uint32_t burst_first_query = 256;
  double burst_interval = 256.0, burst_length = 48.0, burst_duration = 96.0;
};

/// Softmax rows of a made-up process (block-aware eviction's synthetic input; not fitted to any
/// model). Query t splits its attention into shares:
///
/// - sinks: tokens 0–3 by the four sink weights (those that exist yet);
/// - recency: token j in proportion to (t - j + 1)^-recency_exponent;
/// - heavy hitters: tokens from 4 on are a two-state chain: a heavy token is the last of its run
///   with probability 1 / heavy_run, behind another token a run starts with probability
///   f / ((1 - f)·heavy_run), so the fraction f = heavy_fraction is heavy, scattered (run 1) or
///   clustered. Each heavy token has a Pareto weight min(U^(-1/heavy_tail), heavy_cap), lives for
///   ever with probability heavy_permanent, else for an exponential number of queries behind its
///   position, and is on in each window of heavy_window queries with probability heavy_on. The
///   share goes to the tokens that live and are on, in proportion to their weights;
/// - bursts: from query burst_first_query on, one starts with probability 1 / burst_interval: a
///   span that begins uniformly in the past, of geometric length, attended for a geometric number
///   of queries. Each active burst gets an equal part of the share, each token of it likewise;
/// - uniform: all tokens alike.
///
/// A heavy or burst share that finds no token, or a sink share without weights, goes to recency.
///
/// `correlation`: for each query head of each layer and each of the two random structures (heavy
/// hitters, bursts), a coin that falls with this probability decides that the head follows the
/// sequence's common process; else it follows its own, independent one. The coins belong to the
/// source: all sequences agree on them. At 1 all heads have equal rows, at 0 all are independent,
/// and two heads share a structure with probability correlation².
class SyntheticSource final : public AttentionSource {
 public:
  static const OptionTable<SyntheticSourceOptions>& option_table();

  SyntheticSource(const SyntheticSourceOptions& options, AttentionShape shape, std::uint64_t seed);

  AttentionShape shape() const override { return shape_; }
  AttentionFeatures features() const override;
  std::uint32_t max_length() const override;
  std::unique_ptr<SequenceAttention> open(SequenceId id) const override;

 private:
  friend class SyntheticSequence;

  enum class Structure : std::uint32_t { heavy, burst };
  /// For each (layer, query head), the set whose draws it follows.
  std::vector<std::uint32_t> choose_streams(Structure structure) const;

  SyntheticSourceOptions options_;
  AttentionShape shape_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> heavy_streams_, burst_streams_;
};

}  // namespace vacancy
