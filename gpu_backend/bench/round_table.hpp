// SPDX-License-Identifier: Apache-2.0
// TriAttention's eviction round, of many requests at once: its stages, the least that each can
// take, and what is aimed at.
#pragma once

#include <optional>
#include <vector>

#include "gpu_backend/bench/roofline.hpp"

namespace vacancy::gpu {

/// Each request has `tokens`, of which `kept` stay in each layer and KV head.
struct RoundSize {
  int requests = 1, tokens = 0, kept = 0;
};

/// A launch each, for all requests, layers and heads.
enum class RoundStage { weigh, score, normalize, join, select, gather, pack };
Work work_of(RoundStage stage, const CacheShape& shape, const RoundSize& size);

enum class RoundAim {
  none,
  copy_speed,      // bytes a second, as a share of a large copy's
  time_a_request,  // over all layers
};
inline constexpr double aimed_copy_share = 0.85, aimed_seconds_a_request = 0.25e-3;

/// Stages that are timed in one: each waits for the one before.
struct RoundRow {
  const char* what;
  std::vector<RoundStage> stages;
  RoundAim aim = RoundAim::none;
};
/// Stage by stage, the selector alone, and with either compaction.
const std::vector<RoundRow>& round_rows();

double bytes_of(const RoundRow& row, const CacheShape& shape, const RoundSize& size);
/// The stages' floors, and the time between launches for each.
double floor_seconds(const RoundRow& row, const CacheShape& shape, const RoundSize& size,
                     const GpuCeilings& gpu);
/// Of a row that took so long; nothing where there is no aim.
std::optional<bool> meets_aim(const RoundRow& row, double seconds, const CacheShape& shape,
                              const RoundSize& size, const GpuCeilings& gpu);

/// A line a row. `seconds`: of the rows, or empty where nothing was timed.
void print_round(const CacheShape& shape, const RoundSize& size, const GpuCeilings& gpu,
                 const std::vector<double>& seconds);

}  // namespace vacancy::gpu
