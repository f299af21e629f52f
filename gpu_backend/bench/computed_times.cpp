// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/kernel_times.hpp"

namespace vacancy::gpu {

std::vector<int> calibration_sizes(int largest) {
  std::vector<int> sizes;
  for (int tokens = 1024; tokens <= largest; tokens *= 2)
    sizes.push_back(tokens);
  return sizes;
}

KernelTimes computed_times(const GpuCeilings& gpu, const CacheShape& shape, int largest) {
  KernelTimes times;
  times.copy_rate = gpu.bytes_per_second;
  const auto least = [&](const Work& work) { return work.seconds(gpu) + gpu.launch_seconds; };
  const double planes = double(shape.layers) * shape.kv_heads;
  for (const int tokens : calibration_sizes(largest)) {
    const double moved = tokens / 2.0;
    times.move.push_back({2 * moved * shape.token_bytes(), least(compaction(shape, moved))});
    times.score.push_back({tokens * shape.token_bytes() / 2,
                           least(scoring(shape, tokens, 1, shape.query_heads / shape.kv_heads))});
    times.select.push_back({planes * tokens, least(top_k(planes, tokens, tokens / 2.0))});
  }
  return times;
}

}  // namespace vacancy::gpu
