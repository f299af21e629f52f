// SPDX-License-Identifier: Apache-2.0
// Kernels on a GPU against their floors, for one sequence of Qwen3-8B. Without a GPU the floors
// alone.
//   gpu_bench [TOKENS]
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_backend/bench/bench_cache.hpp"
#include "gpu_backend/bench/roofline_table.hpp"

namespace vacancy::gpu {
namespace {

class Bench {
 public:
  Bench(Device& device, int tokens)
      : device_(device), tokens_(tokens), cache_(device, qwen3_8b, tokens) {}

  void run() {
    gpu_.name = "this GPU";
    gpu_.bytes_per_second = cache_.copy_rate();
    std::printf("%s: copies %.2f TB/s (%.1f GB each way)\n", device_.name().c_str(),
                gpu_.bytes_per_second / 1e12, double(cache_.bytes()) / 1e9);
    for (const double kept : {0.1, 0.5})
      moves(kept);
    scores();
    attention();
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
    const Work work = compaction(qwen3_8b, double(all.size()));
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
    line("fill holes", compaction(qwen3_8b, double(beyond.size())),
         [&] { cache_.pool().run(MoveRows{.tables = tables, .moves = filling.lists()}); });
  }

  void scores() {
    const int group = qwen3_8b.query_heads / qwen3_8b.kv_heads;
    const BlockTables tables = cache_.tables();
    const auto rows = static_cast<std::size_t>(qwen3_8b.layers * qwen3_8b.query_heads);
    const Buffer<float> scored(device_, rows * static_cast<std::size_t>(tokens_));
    for (const int distances : {1, 17}) {
      const Buffer<float> weights(
          device_,
          std::vector<float>(rows * static_cast<std::size_t>(2 * distances + 1) * 64, 0.5f));
      line(distances == 1 ? "TriAttention, distances folded" : "TriAttention, maximum of 17",
           scoring(qwen3_8b, tokens_, distances, group), [&] {
             device_.run(TriAttentionScores{.rows = {.pool = cache_.pool().parts()[0],
                                                     .tables = tables,
                                                     .head_dim = qwen3_8b.head_dim},
                                            .weights = weights.data(),
                                            .query_heads = qwen3_8b.query_heads,
                                            .distances = distances,
                                            .scores = scored.data(),
                                            .stride = tokens_});
           });
    }
    const int planes = qwen3_8b.layers * qwen3_8b.kv_heads, keep = tokens_ / 10;
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
                       .query_heads = qwen3_8b.query_heads,
                       .head_dim = qwen3_8b.head_dim,
                       .scale = 0.088f,
                       .splits = 8};
    const auto floats = static_cast<std::size_t>(qwen3_8b.layers * qwen3_8b.query_heads) * 128;
    const Buffer<float> query(device_, std::vector<float>(floats, 0.1f)), output(device_, floats);
    const Buffer<float> work(device_, static_cast<std::size_t>(decode_workspace(op)));
    op.query = query.data();
    op.output = output.data();
    op.workspace = work.data();
    line("decode attention, one query", decode_attention(qwen3_8b, tokens_),
         [&] { device_.run(op); });
  }

  Device& device_;
  GpuCeilings gpu_ = h200;
  int tokens_;
  BenchCache cache_;
};

}  // namespace
}  // namespace vacancy::gpu

int main(int argc, char** argv) {
  using namespace vacancy::gpu;
  const int tokens = argc > 1 ? std::atoi(argv[1]) / 16 * 16 : 32768;
  if (tokens < 16) {
    std::fprintf(stderr, "usage: gpu_bench [TOKENS], 16 at least\n");
    return 2;
  }
  std::printf("Qwen3-8B, %d tokens, BF16: %.2f GB of K and V\n", tokens,
              tokens * qwen3_8b.token_bytes() / 1e9);
  print_roofline(h200, roofline_rows(qwen3_8b, tokens));
  std::string why_not;
  const auto device = open_device(DeviceKind::cuda, &why_not);
  if (device == nullptr) {
    std::printf("%s Kernels are not timed.\n", why_not.c_str());
    return 77;
  }
  Bench(*device, tokens).run();
}
