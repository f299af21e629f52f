// SPDX-License-Identifier: Apache-2.0
// Kernels on a GPU against their floors: those on one sequence of Qwen3-8B, and eviction rounds of
// 1, 32 and 128. Without a GPU the floors alone.
//   gpu_bench [TOKENS | --cpu]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_backend/bench/bench_cache.hpp"
#include "gpu_backend/bench/eviction_round.hpp"
#include "gpu_backend/bench/roofline_table.hpp"

namespace vacancy::gpu {
namespace {

class Bench {
 public:
  Bench(Device& device, const CacheShape& shape, int tokens)
      : device_(device), shape_(shape), tokens_(tokens), cache_(device, shape, tokens) {}

  /// Ceilings with the copy speed of this device.
  GpuCeilings run() {
    gpu_.name = "this device";
    gpu_.bytes_per_second = cache_.copy_rate();
    std::printf("%s: copies %.2f TB/s (%.1f GB each way)\n", device_.name().c_str(),
                gpu_.bytes_per_second / 1e12, double(cache_.bytes()) / 1e9);
    for (const double kept : {0.1, 0.5})
      moves(kept);
    scores();
    attention();
    return gpu_;
  }

 private:
  template <class Call>
  void line(const char* what, const Work& work, Call call) {
    const double seconds = median_seconds(device_, call), least = work.seconds(gpu_);
    std::printf("%-34s %10.1f us %8.2f TB/s  floor %10.1f us  %5.1f %%\n", what, seconds * 1e6,
                work.bytes / seconds / 1e12, least * 1e6, 100 * least / seconds);
    std::fflush(stdout);
  }

  void moves(double kept) {
    std::mt19937 random(7);
    std::bernoulli_distribution stays(kept);
    std::vector<int> survivors;
    for (int i = 0; i < tokens_; ++i)
      if (stays(random)) survivors.push_back(i);
    const int count = static_cast<int>(survivors.size());
    std::vector<char> live(static_cast<std::size_t>(tokens_), 0);
    std::vector<std::int32_t> all, order, beyond, holes;
    for (const int s : survivors) {
      live[static_cast<std::size_t>(s)] = 1;
      if (s != static_cast<int>(order.size()) || !all.empty()) all.push_back(s);
      order.push_back(s);
      if (s >= count) beyond.push_back(s);
    }
    for (int i = 0; i < count; ++i)
      if (live[static_cast<std::size_t>(i)] == 0) holes.push_back(i);
    const int first = count - static_cast<int>(all.size());
    std::vector<std::int32_t> targets(all.size());
    std::iota(targets.begin(), targets.end(), first);
    std::printf("keep %.0f %%: %zu survivors change their slot, or %zu into holes\n", kept * 100,
                all.size(), beyond.size());

    const BenchMoves packing(device_, all, targets), filling(device_, beyond, holes);
    const BlockTables tables = cache_.tables();
    const Work work = compaction(shape_, double(all.size()));
    line("gather to fresh blocks", work, [&] {
      cache_.pool().run_to(
          cache_.fresh(),
          GatherRows{.from_tables = tables, .to_tables = tables, .moves = packing.lists()});
    });
    for (const auto method : {PackMethod::columns, PackMethod::tiles})
      line(method == PackMethod::columns ? "pack in place, columns" : "pack in place, tiles", work,
           [&] {
             cache_.pool().run(
                 PackRows{.tables = tables, .moves = packing.lists(), .method = method});
           });
    line("fill holes", compaction(shape_, double(beyond.size())),
         [&] { cache_.pool().run(MoveRows{.tables = tables, .moves = filling.lists()}); });
  }

  void scores() {
    const int group = shape_.query_heads / shape_.kv_heads;
    const BlockTables tables = cache_.tables();
    const auto rows = static_cast<std::size_t>(shape_.layers * shape_.query_heads);
    const Buffer<float> scored(device_, rows * static_cast<std::size_t>(tokens_));
    for (const int distances : {1, 17}) {
      const Buffer<float> weights(
          device_, std::vector<float>(rows * static_cast<std::size_t>(2 * distances + 1) *
                                          static_cast<std::size_t>(shape_.head_dim / 2),
                                      0.5f));
      line(distances == 1 ? "TriAttention, distances folded" : "TriAttention, maximum of 17",
           scoring(shape_, tokens_, distances, group), [&] {
             device_.run(TriAttentionScores{.rows = {.pool = cache_.pool().parts()[0],
                                                     .tables = tables,
                                                     .head_dim = shape_.head_dim},
                                            .weights = weights.data(),
                                            .query_heads = shape_.query_heads,
                                            .distances = distances,
                                            .scores = scored.data(),
                                            .stride = tokens_});
           });
    }
    const int planes = shape_.layers * shape_.kv_heads, keep = tokens_ / 10;
    const Buffer<std::int32_t> kept(
        device_, static_cast<std::size_t>(planes) * static_cast<std::size_t>(keep));
    const Buffer<std::int32_t> ends(device_, std::vector<std::int32_t>{tokens_});
    line("top 10 % of each layer and head", top_k(planes, tokens_, keep), [&] {
      device_.run(TopK{.rows = {.data = scored.data(),
                                .stride = tokens_,
                                .requests = 1,
                                .per_request = planes,
                                .end = ends.data()},
                       .keep = keep,
                       .kept = kept.data()});
    });
  }

  void attention() {
    DecodeAttention op{.pool = cache_.pool().parts()[0],
                       .tables = cache_.tables(),
                       .query_heads = shape_.query_heads,
                       .head_dim = shape_.head_dim,
                       .scale = 0.088f,
                       .splits = 8};
    const auto floats = static_cast<std::size_t>(shape_.layers * shape_.query_heads) *
                        static_cast<std::size_t>(shape_.head_dim);
    const Buffer<float> query(device_, std::vector<float>(floats, 0.1f)), output(device_, floats);
    const Buffer<float> work(device_, static_cast<std::size_t>(decode_workspace(op)));
    op.query = query.data();
    op.output = output.data();
    op.workspace = work.data();
    line("decode attention, one query", decode_attention(shape_, tokens_),
         [&] { device_.run(op); });
  }

  Device& device_;
  CacheShape shape_;
  GpuCeilings gpu_ = h200;
  int tokens_;
  BenchCache cache_;
};

/// What is timed, and on which model.
struct Plan {
  const char* model;
  CacheShape shape;
  int tokens;  // of the one sequence
  std::vector<RoundSize> rounds;
};

Plan full_plan(int tokens) {
  return {"Qwen3-8B", qwen3_8b, tokens, {{1, 2176, 2048}, {32, 2176, 2048}, {128, 2176, 2048}}};
}
/// For the executor of kernels on the CPU, which shows that the benchmark runs.
Plan small_plan() {
  return {"A toy model", {1, 1, 2, 64, 2.0}, 64, {{1, 32, 16}, {2, 32, 16}}};
}

void print_floors(const Plan& plan) {
  std::printf("%s, %d tokens, BF16: %.2f GB of K and V\n", plan.model, plan.tokens,
              plan.tokens * plan.shape.token_bytes() / 1e9);
  print_roofline(h200, roofline_rows(plan.shape, plan.tokens));
  for (const RoundSize& size : plan.rounds)
    print_round(plan.shape, size, h200, {});
}

void measure(Device& device, const Plan& plan) {
  const GpuCeilings gpu = Bench(device, plan.shape, plan.tokens).run();
  for (const RoundSize& size : plan.rounds)
    try {
      print_round(plan.shape, size, gpu, measured_round(device, plan.shape, size));
    } catch (const OutOfDeviceMemory& error) {
      std::printf("Round of %d requests, left out: %s\n", size.requests, error.what());
    }
}

}  // namespace
}  // namespace vacancy::gpu

int main(int argc, char** argv) {
  using namespace vacancy::gpu;
  const bool on_cpu = argc > 1 && std::strcmp(argv[1], "--cpu") == 0;
  const int tokens = argc > 1 ? std::atoi(argv[1]) / 16 * 16 : 32768;
  if (!on_cpu && tokens < 16) {
    std::fprintf(stderr, "usage: gpu_bench [TOKENS | --cpu], 16 tokens at least\n");
    return 2;
  }
  const Plan plan = on_cpu ? small_plan() : full_plan(tokens);
  print_floors(plan);
  std::string why_not;
  const auto device = open_device(on_cpu ? DeviceKind::cpu : DeviceKind::cuda, &why_not);
  if (device == nullptr) {
    std::printf("%s Kernels are not timed.\n", why_not.c_str());
    return 77;
  }
  if (on_cpu) std::printf("Kernels run on the CPU: their times say nothing of a GPU.\n");
  try {
    measure(*device, plan);
  } catch (const vacancy::simt::DeviceError& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "gpu_bench: %s\n", error.what());
    return 1;
  }
}
