// SPDX-License-Identifier: Apache-2.0
// The least time that a kernel can take: what it must move, compute and evaluate, over what a GPU
// can. Formulas: docs/gpu.md.
#pragma once

#include <algorithm>

namespace vacancy::gpu {

struct GpuCeilings {
  const char* name;
  double bytes_per_second;    // of a large copy inside the device, read + written
  double flops_per_second;    // float, a fused multiply-add counts as 2
  double special_per_second;  // exp, rsqrt and their kind: 16 a cycle and multiprocessor
  double launch_seconds;      // between two dependent launches
};
/// Copy and launch as measured on one H200; flops from the data sheet; 132 multiprocessors, 1.98
/// GHz.
inline constexpr GpuCeilings h200{"H200", 4.3e12, 67e12, 132 * 16 * 1.98e9, 2.5e-6};

enum class Bound { memory, arithmetic, special };

struct Work {
  double bytes = 0, flops = 0, special = 0;

  constexpr double seconds(const GpuCeilings& gpu) const {
    return std::max({bytes / gpu.bytes_per_second, flops / gpu.flops_per_second,
                     special / gpu.special_per_second});
  }
  constexpr Bound bound(const GpuCeilings& gpu) const {
    const double most = seconds(gpu);
    if (most == bytes / gpu.bytes_per_second) return Bound::memory;
    return most == flops / gpu.flops_per_second ? Bound::arithmetic : Bound::special;
  }
};

/// A model's cache. element_bytes: 2 of BF16, 1 of FP8, 0.5625 of NVFP4 with its scales.
struct CacheShape {
  int layers, kv_heads, query_heads, head_dim;
  double element_bytes;

  constexpr double row_bytes() const { return head_dim * element_bytes; }
  constexpr double token_bytes() const { return 2.0 * layers * kv_heads * row_bytes(); }
};
inline constexpr CacheShape qwen3_8b{36, 8, 32, 128, 2.0};

/// Survivors that change their slot, of `tokens` of which a share `kept` stays, spread evenly:
/// nearly all when the order is kept, those beyond the new end when holes are filled.
constexpr double moved_in_order(double tokens, double kept) {
  return tokens * kept;
}
constexpr double moved_into_holes(double tokens, double kept) {
  return tokens * kept * (1 - kept);
}
/// Each moved row is read and written once; 12 bytes of indices a row of each of `sets` keep sets.
constexpr Work compaction(const CacheShape& shape, double moved, double sets = 1) {
  return {2.0 * moved * shape.token_bytes() + 12.0 * moved * sets, 0, 0};
}
/// Keys are read once and give a score for each of `queries` query heads of a KV head. A frequency
/// costs 6 flops and a square root for |k|, and 4 flops for each query head and distance whose
/// phases are not folded into one.
constexpr Work scoring(const CacheShape& shape, double tokens, int distances = 1, int queries = 1) {
  const double keys = tokens * shape.layers * shape.kv_heads, bands = shape.head_dim / 2;
  return {keys * (shape.row_bytes() + 4.0 * queries),
          keys * (bands * (6 + 4.0 * distances * queries) + (distances - 1) * queries),
          keys * bands};
}
/// A query head's re, im and w of each band: the calibration is read once, weights are written for
/// each request.
constexpr Work weighing(const CacheShape& shape, double requests) {
  const double bands = 3.0 * shape.layers * shape.query_heads * shape.head_dim / 2;
  return {4 * bands * (requests + 1), 0, 0};
}
/// Scores are read and written once; mean, deviation and the scaled score are 5 flops.
constexpr Work normalizing(double rows, double tokens) {
  return {8 * rows * tokens, 5 * rows * tokens, 0};
}
/// `members` rows become one.
constexpr Work joining(double rows, double tokens, double members) {
  return {4 * rows * tokens * (1 + 1 / members), rows * tokens, 0};
}
/// Four passes for histograms and two that write, over scores that stay in L2 if they fit.
constexpr Work top_k(double rows, double tokens, double kept) {
  return {rows * (24 * tokens + 4 * kept), rows * tokens * 20, 0};
}
/// A query a sequence: K and V are read once; 4 flops an element and query head, an exp a key and
/// query head.
constexpr Work decode_attention(const CacheShape& shape, double tokens) {
  const double heads = double(shape.layers) * shape.query_heads;
  return {tokens * shape.token_bytes() + 8.0 * heads * shape.head_dim,
          4.0 * tokens * heads * shape.head_dim, tokens * heads};
}
constexpr Work nvfp4_encoding(double elements, double source_bytes) {
  return {elements * (source_bytes + 0.5625), elements * 12, elements / 8};
}

}  // namespace vacancy::gpu
