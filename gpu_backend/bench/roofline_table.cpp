// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/roofline_table.hpp"

#include <cstdio>

namespace vacancy::gpu {
namespace {

const char* name(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::arithmetic:
      return "arithmetic";
    case Bound::special:
      return "special functions";
  }
  return "";
}

}  // namespace

std::vector<RooflineRow> roofline_rows(const CacheShape& shape, double tokens) {
  CacheShape narrow = shape;
  narrow.element_bytes = 0.5625;
  const int group = shape.query_heads / shape.kv_heads;
  return {{"compaction in order, 10 % kept", compaction(shape, moved_in_order(tokens, 0.1))},
          {"compaction into holes, 10 % kept", compaction(shape, moved_into_holes(tokens, 0.1))},
          {"compaction in order, 50 % kept", compaction(shape, moved_in_order(tokens, 0.5))},
          {"compaction into holes, 50 % kept", compaction(shape, moved_into_holes(tokens, 0.5))},
          {"the same in order, NVFP4", compaction(narrow, moved_in_order(tokens, 0.5))},
          {"scores, distances folded", scoring(shape, tokens, 1, group)},
          {"scores, maximum of 17 distances", scoring(shape, tokens, 17, group)},
          {"top 10 % of each layer and head",
           top_k(double(shape.layers) * shape.kv_heads, tokens, tokens / 10)},
          {"decode attention, one query", decode_attention(shape, tokens)},
          {"NVFP4 of the whole cache", nvfp4_encoding(tokens * shape.token_bytes() / 2, 2)}};
}

void print_roofline(const GpuCeilings& gpu, const std::vector<RooflineRow>& rows) {
  std::printf("%-34s %12s %12s %10s   %s\n", gpu.name, "MB", "GFLOP", "us", "bound by");
  for (const RooflineRow& row : rows)
    std::printf("%-34s %12.1f %12.2f %10.1f   %s\n", row.what.c_str(), row.work.bytes / 1e6,
                row.work.flops / 1e9, row.work.seconds(gpu) * 1e6, name(row.work.bound(gpu)));
}

}  // namespace vacancy::gpu
