// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/round_table.hpp"

#include <cstdio>

namespace vacancy::gpu {

Work work_of(RoundStage stage, const CacheShape& shape, const RoundSize& size) {
  const double all = double(size.requests) * size.tokens, kept = double(size.requests) * size.kept;
  const double sets = double(shape.layers) * shape.kv_heads;
  const double rows = double(size.requests) * shape.layers * shape.query_heads;
  const int group = shape.query_heads / shape.kv_heads;
  switch (stage) {
    case RoundStage::weigh:
      return weighing(shape, size.requests);
    case RoundStage::score:
      return scoring(shape, all, 1, group);
    case RoundStage::normalize:
      return normalizing(rows, size.tokens);
    case RoundStage::join:
      return joining(rows, size.tokens, group);
    case RoundStage::select:
      return top_k(size.requests * sets, size.tokens, size.kept);
    case RoundStage::gather:
    case RoundStage::pack:
      return compaction(shape, kept, sets);
  }
  return {};
}

const std::vector<RoundRow>& round_rows() {
  using enum RoundStage;
  static const std::vector<RoundRow> rows{
      {"weights", {weigh}},
      {"scores", {score}},
      {"rows normalised", {normalize}},
      {"largest of a query group", {join}},
      {"top k", {select}},
      {"selector: these five", {weigh, score, normalize, join, select}},
      {"gather to fresh blocks", {gather}, RoundAim::copy_speed},
      {"pack in place", {pack}, RoundAim::copy_speed},
      {"selector and gather",
       {weigh, score, normalize, join, select, gather},
       RoundAim::time_a_request},
      {"selector and pack in place",
       {weigh, score, normalize, join, select, pack},
       RoundAim::time_a_request}};
  return rows;
}

double bytes_of(const RoundRow& row, const CacheShape& shape, const RoundSize& size) {
  double bytes = 0;
  for (const RoundStage stage : row.stages)
    bytes += work_of(stage, shape, size).bytes;
  return bytes;
}

double floor_seconds(const RoundRow& row, const CacheShape& shape, const RoundSize& size,
                     const GpuCeilings& gpu) {
  double seconds = 0;
  for (const RoundStage stage : row.stages)
    seconds += work_of(stage, shape, size).seconds(gpu) + gpu.launch_seconds;
  return seconds;
}

std::optional<bool> meets_aim(const RoundRow& row, double seconds, const CacheShape& shape,
                              const RoundSize& size, const GpuCeilings& gpu) {
  switch (row.aim) {
    case RoundAim::none:
      return std::nullopt;
    case RoundAim::copy_speed:
      return bytes_of(row, shape, size) / seconds >= aimed_copy_share * gpu.bytes_per_second;
    case RoundAim::time_a_request:
      return seconds / size.requests <= aimed_seconds_a_request;
  }
  return std::nullopt;
}

void print_round(const CacheShape& shape, const RoundSize& size, const GpuCeilings& gpu,
                 const std::vector<double>& seconds) {
  std::printf("Round of %d request%s, %d tokens to %d: %.1f GB of K and V\n", size.requests,
              size.requests == 1 ? "" : "s", size.tokens, size.kept,
              size.requests * size.tokens * shape.token_bytes() / 1e9);
  std::printf("%-28s %9s %10s %12s", gpu.name, "MB", "floor us", "a request");
  if (!seconds.empty())
    std::printf(" %10s %12s %8s %8s %8s  %s", "us", "a request", "TB/s", "of copy", "of floor",
                "aim");
  std::printf("\n");
  for (std::size_t i = 0; i < round_rows().size(); ++i) {
    const RoundRow& row = round_rows()[i];
    const double bytes = bytes_of(row, shape, size), least = floor_seconds(row, shape, size, gpu);
    std::printf("%-28s %9.1f %10.1f %12.1f", row.what, bytes / 1e6, least * 1e6,
                least * 1e6 / size.requests);
    if (!seconds.empty()) {
      const double took = seconds[i], rate = bytes / took;
      std::printf(" %10.1f %12.1f %8.2f %6.1f %% %6.1f %%", took * 1e6, took * 1e6 / size.requests,
                  rate / 1e12, 100 * rate / gpu.bytes_per_second, 100 * least / took);
      if (row.aim == RoundAim::copy_speed) std::printf("  %.0f %% of copy", 100 * aimed_copy_share);
      if (row.aim == RoundAim::time_a_request)
        std::printf("  %.0f us a request", 1e6 * aimed_seconds_a_request);
      if (const auto met = meets_aim(row, took, shape, size, gpu))
        std::printf(": %s", *met ? "met" : "missed");
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace vacancy::gpu
