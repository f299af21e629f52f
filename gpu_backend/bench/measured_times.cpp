// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/bench_cache.hpp"
#include "gpu_backend/bench/kernel_times.hpp"

namespace vacancy::gpu {
namespace {

/// Every other token to fresh blocks, the way of moving that reads and writes side by side.
double gather_seconds(BenchCache& cache, int tokens) {
  std::vector<std::int32_t> from, to;
  for (int token = 0; token < tokens; token += 2) {
    to.push_back(static_cast<std::int32_t>(from.size()));
    from.push_back(token);
  }
  const BenchMoves moves(cache.device(), from, to);
  const BlockTables tables = cache.tables(tokens);
  return median_seconds(cache.device(), [&] {
    cache.pool().run_to(
        cache.fresh(),
        GatherRows{.from_tables = tables, .to_tables = tables, .moves = moves.lists()});
  });
}

double score_seconds(BenchCache& cache, int tokens, const Buffer<float>& scores) {
  const CacheShape& shape = cache.shape();
  const auto rows = static_cast<std::size_t>(shape.layers * shape.query_heads);
  const std::size_t weights_a_row = 3 * static_cast<std::size_t>(shape.head_dim / 2);
  const Buffer<float> weights(cache.device(), std::vector<float>(rows * weights_a_row, 0.5f));
  const BlockTables tables = cache.tables(tokens);
  return median_seconds(cache.device(), [&] {
    cache.device().run(TriAttentionScores{
        .rows = {.pool = cache.pool().parts()[0], .tables = tables, .head_dim = shape.head_dim},
        .weights = weights.data(),
        .query_heads = shape.query_heads,
        .scores = scores.data(),
        .stride = tokens});
  });
}

double select_seconds(BenchCache& cache, int tokens, const Buffer<float>& scores) {
  const CacheShape& shape = cache.shape();
  const int planes = shape.layers * shape.kv_heads, keep = tokens / 2;
  const Buffer<std::int32_t> kept(
      cache.device(), static_cast<std::size_t>(planes) * static_cast<std::size_t>(keep));
  const Buffer<std::int32_t> ends(cache.device(), std::vector<std::int32_t>{tokens});
  return median_seconds(cache.device(), [&] {
    cache.device().run(TopK{.rows = {.data = scores.data(),
                                     .stride = tokens,
                                     .requests = 1,
                                     .per_request = planes,
                                     .end = ends.data()},
                            .keep = keep,
                            .kept = kept.data()});
  });
}

}  // namespace

KernelTimes measured_times(Device& device, const CacheShape& shape, int largest,
                           const std::function<void(int)>& on_size) {
  const std::vector<int> sizes = calibration_sizes(largest);
  BenchCache cache(device, shape, sizes.back());
  const Buffer<float> scores(device, static_cast<std::size_t>(shape.layers * shape.query_heads) *
                                         static_cast<std::size_t>(sizes.back()));
  KernelTimes times;
  times.copy_rate = cache.copy_rate();
  const double planes = double(shape.layers) * shape.kv_heads;
  for (const int tokens : sizes) {
    on_size(tokens);
    times.move.push_back({tokens * shape.token_bytes(), gather_seconds(cache, tokens)});
    times.score.push_back({tokens * shape.token_bytes() / 2, score_seconds(cache, tokens, scores)});
    times.select.push_back({planes * tokens, select_seconds(cache, tokens, scores)});
  }
  return times;
}

}  // namespace vacancy::gpu
