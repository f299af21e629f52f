// SPDX-License-Identifier: Apache-2.0
// Scores of cached tokens. Each operation writes rows of `stride` floats, one element a slot of the
// request's tables; only those below the table's length are written. All pointers are into device
// memory, those to floats aligned to 16 bytes.
#pragma once

#include <cstdint>

#include "gpu_backend/kernels/attention_operations.hpp"
#include "gpu_backend/kernels/element_type.hpp"
#include "gpu_backend/kernels/views.hpp"

namespace vacancy::gpu {

/// What a scoring kernel reads.
struct CachedRows {
  Pool pool = {};  // with K, and V where an operation names it
  ElementType element = ElementType::bf16;
  float key_scale = 1, value_scale = 1;  // of fp8
  BlockTables tables = {};               // with last_page_len
  int head_dim = 0;
};

/// Draws of random eviction: word 0 of Philox4x32-10 with counter (sequence, set, round, token), as
/// sim/units/philox.hpp has it, to be ranked as unsigned numbers.
struct RandomScores {
  const std::uint32_t* sequences = nullptr;  // [requests]
  const std::uint32_t* rounds = nullptr;     // [requests]
  const std::uint32_t* tokens = nullptr;     // [requests * sets][length]; nullptr: 0, 1, 2, ...
  int requests = 0, sets = 0, length = 0;
  std::uint32_t key[2] = {};
  std::uint32_t* scores = nullptr;  // [requests * sets][length]
};

/// The weights of a round of TriAttention (policies §4.2), which depend on where each request
/// stands. With a = position * frequency of a band, for each distance
///   re + i im = (calibrated mean query) * rotation * e^(i a)
/// in double, and w as it is. A rotation is e^(i distance * frequency), or the mean of several,
/// times the rotary embedding's factor (triattention_rotations() of launch/). A weight is within
/// 2^-24 of itself, and 1e-15 of |mean query * rotation| for each radian of its angle.
struct TriAttentionWeights {
  const float* calibration = nullptr;       // [layers][query_heads][re, im, w][bands]
  const double* frequencies = nullptr;      // [bands], radians a token
  const double* rotations = nullptr;        // [distances][re, im][bands]
  const std::int32_t* positions = nullptr;  // [requests], of the next token
  int requests = 0, layers = 0, query_heads = 0;
  int bands = 0;      // head_dim / 2
  int distances = 1;  // as of TriAttentionScores, which reads the weights
  float* weights = nullptr;
};

/// TriAttention on post-RoPE keys (policies §4.2): for band f of head_dim / 2, with the key's real
/// and imaginary half, and weights re, im of each distance and w,
///   score = max over distances of sum_f (re k_re + im k_im) + sum_f w |k_f|.
/// One row of weights a distance; a mean over distances is folded into a single one.
struct TriAttentionScores {
  CachedRows rows = {};
  /// [requests][layers][query_heads][(2 * distances + 1) * head_dim / 2]: re, im of each distance,
  /// then w. Of TriAttentionWeights.
  const float* weights = nullptr;
  int query_heads = 0;
  int distances = 1;        // 0: the last sum alone
  float* scores = nullptr;  // [requests][layers][query_heads][stride]
  std::int64_t stride = 0;
};

enum class RowStatistic {
  negative_key_norm,    // Knorm
  value_over_key_norm,  // PagedEviction; 0 where the key is 0
  value_range           // VaSE: largest less smallest channel of V
};
struct RowStatistics {
  CachedRows rows = {};
  RowStatistic statistic = RowStatistic::negative_key_norm;
  float* scores = nullptr;  // [requests][layers][KV heads][stride]
  std::int64_t stride = 0;
};

/// Attention that some queries pay to all keys, with its weights written out: the last queries of a
/// prompt (SnapKV and its kin, TOVA, R-KV, VaSE), or all of them chunk by chunk (H2O).
struct QueryAttention {
  CachedRows rows = {};
  SlotPositions slots = {};      // a hole has no weight
  const float* query = nullptr;  // [requests][layers][query_heads][window][head_dim]
  /// Query i of a request stands at first_position + i and sees positions up to its own.
  const std::int32_t* first_position = nullptr;  // [requests]
  /// Only slots below take part in the softmax; nullptr: all of the table.
  const std::int32_t* slot_end = nullptr;  // [requests]
  int query_heads = 0, window = 0;
  float scale = 0;
  /// The largest logit of a KV head's queries takes the place of them all (R-KV): a row a KV head.
  bool group_max = false;
  bool squared = false;     // sums of squared weights (KV-Compress)
  bool accumulate = false;  // adds to column_sums: they must hold numbers
  float factor = 1;         // of the sums: 1 / window for a mean
  /// [requests][layers][heads][stride], heads being query_heads, or KV heads with group_max.
  float* column_sums = nullptr;
  float* output = nullptr;  // as query; nullptr, and so with group_max: not computed
  /// Workspace: [requests][layers][heads][window][stride] logits, and two numbers a row of them.
  float* logits = nullptr;
  float* statistics = nullptr;
  std::int64_t stride = 0;
};

/// R-KV's redundancy before its softmax: the mean over rows of the cosine between keys, without the
/// diagonal, where each row leaves out its last column above the threshold (policies §3.11).
struct KeyRedundancy {
  CachedRows rows = {};
  float threshold = 0.5f;
  /// A row where no column is leaves out column 0, as the public code does, instead of nothing.
  bool first_if_none = false;
  float* scores = nullptr;  // [requests][layers][KV heads][stride]
  /// Workspace: [requests][layers][KV heads][stride][head_dim], and an integer a score.
  float* unit_keys = nullptr;
  std::int32_t* left_out = nullptr;
  std::int64_t stride = 0;
};

/// KeyDiff (policies §3.13): minus the cosine between a key and the anchor, the sum of all keys of
/// length 1. Norms are 1e-12 at least.
struct KeyDifference {
  CachedRows rows = {};
  float* scores = nullptr;   // [requests][layers][KV heads][stride]
  float* anchors = nullptr;  // [requests][layers][KV heads][head_dim], written too
  std::int64_t stride = 0;
};

/// LagKV (policies §3.14): partitions of `lag` slots behind the first ones. A row's share is the
/// softmax, inside its partition, of how its channels deviate within the ranges of the next one.
struct LagRanks {
  CachedRows rows = {};                 // K and V
  const std::int32_t* begin = nullptr;  // [requests] slots before the first partition; nullptr: 0
  int lag = 0;
  int channels = 0;  // of head_dim, half of them in front of each half; 0: all
  /// [requests][layers][KV heads][stride]: the rank inside the partition, of equal ones the first
  /// highest; `lag` where none is scored, in the last whole partition too. The slot, where there
  /// are not two whole partitions.
  float* scores = nullptr;
  float* shares = nullptr;  // [requests][layers][K, V][KV heads][stride], of scored slots
  std::int64_t stride = 0;
};

}  // namespace vacancy::gpu
