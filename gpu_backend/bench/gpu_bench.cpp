// SPDX-License-Identifier: Apache-2.0
// Kernels on a GPU against their floors, for one sequence of Qwen3-8B. Without a GPU the floors
// alone.
//   gpu_bench [TOKENS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_backend/bench/roofline_table.hpp"
#include "gpu_backend/launch/device_pool.hpp"

namespace vacancy::gpu {
namespace {

/// Seconds of one call, of the best of some rows of calls.
template <class Call>
double seconds_of(Device& device, Call call) {
  using Clock = std::chrono::steady_clock;
  constexpr int rows = 5, calls = 8;
  double best = 1e30;
  for (int row = 0; row < rows; ++row) {
    call();
    device.synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    device.synchronize();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / calls);
  }
  return best;
}

class Bench {
 public:
  Bench(Device& device, int tokens)
      : device_(device),
        tokens_(tokens),
        blocks_(tokens / 16),
        pool_(device, shape(blocks_)),
        fresh_(device, shape(blocks_)) {
    std::vector<std::int32_t> table(static_cast<std::size_t>(blocks_));
    std::iota(table.begin(), table.end(), 0);
    std::shuffle(table.begin(), table.end(), std::mt19937(1));
    indices_ = Buffer<std::int32_t>(device, table);
    indptr_ = Buffer<std::int32_t>(device, std::vector<std::int32_t>{0, blocks_});
    last_ = Buffer<std::int32_t>(device, std::vector<std::int32_t>{16});
    fill();
  }

  void run() {
    gpu_.name = "this GPU";
    const std::size_t bytes = static_cast<std::size_t>(pool_bytes());
    const double copy = seconds_of(
        device_, [&] { device_.copy(fresh_.parts()[0].base, pool_.parts()[0].base, bytes); });
    gpu_.bytes_per_second = 2.0 * double(bytes) / copy;
    std::printf("%s: copies %.2f TB/s (%.1f GB each way)\n", device_.name().c_str(),
                gpu_.bytes_per_second / 1e12, double(bytes) / 1e9);
    for (const double kept : {0.1, 0.5})
      moves(kept);
    scores();
    attention();
  }

 private:
  static PoolShape shape(int blocks) {
    return {.layers = qwen3_8b.layers,
            .heads = qwen3_8b.kv_heads,
            .head_dim = qwen3_8b.head_dim,
            .blocks = blocks};
  }
  std::int64_t pool_bytes() const { return pool_parts(pool_.shape())[0].bytes; }
  BlockTables tables() const {
    return {.indptr = indptr_.data(),
            .indices = indices_.data(),
            .last_page_len = last_.data(),
            .requests = 1};
  }

  /// BF16 of magnitude about 1, a part at first, then that copied over and over.
  void fill() {
    std::vector<std::uint16_t> part(1 << 23);
    std::mt19937 random(1);
    for (auto& x : part)
      x = static_cast<std::uint16_t>((random() & 0x807F) | 0x3F00);
    auto* const base = static_cast<std::uint8_t*>(pool_.parts()[0].base);
    const std::size_t bytes = static_cast<std::size_t>(pool_bytes());
    std::size_t done = std::min(bytes, part.size() * 2);
    device_.upload(base, part.data(), done);
    while (done < bytes) {
      const std::size_t more = std::min(done, bytes - done);
      device_.copy(base + done, base, more);
      done += more;
    }
  }

  template <class Call>
  void line(const char* what, const Work& work, Call call) {
    const double seconds = seconds_of(device_, call), least = work.seconds(gpu_);
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

    const auto lists = [&](const Buffer<std::int32_t>& bounds, const Buffer<std::int32_t>& from,
                           const Buffer<std::int32_t>& to) {
      return MoveLists{bounds.data(),
                       bounds.data() + 1,
                       from.data(),
                       to.data(),
                       {},
                       static_cast<int>(from.size())};
    };
    const Buffer<std::int32_t> from(device_, all), to(device_, targets);
    const Buffer<std::int32_t> bounds(
        device_, std::vector<std::int32_t>{0, static_cast<std::int32_t>(all.size())});
    const MoveLists packing = lists(bounds, from, to);
    const Work work = compaction(qwen3_8b, double(all.size()));
    line("gather to fresh blocks", work, [&] {
      pool_.run_to(fresh_,
                   GatherRows{.from_tables = tables(), .to_tables = tables(), .moves = packing});
    });
    for (const auto method : {PackMethod::columns, PackMethod::tiles})
      line(method == PackMethod::columns ? "pack in place, columns" : "pack in place, tiles", work,
           [&] { pool_.run(PackRows{.tables = tables(), .moves = packing, .method = method}); });
    const Buffer<std::int32_t> last(device_, beyond), hole(device_, holes);
    const Buffer<std::int32_t> fill_bounds(
        device_, std::vector<std::int32_t>{0, static_cast<std::int32_t>(beyond.size())});
    line("fill holes", compaction(qwen3_8b, double(beyond.size())),
         [&] { pool_.run(MoveRows{.tables = tables(), .moves = lists(fill_bounds, last, hole)}); });
  }

  void scores() {
    const int group = qwen3_8b.query_heads / qwen3_8b.kv_heads;
    const auto rows = static_cast<std::size_t>(qwen3_8b.layers * qwen3_8b.query_heads);
    const Buffer<float> scored(device_, rows * static_cast<std::size_t>(tokens_));
    for (const int distances : {1, 17}) {
      const Buffer<float> weights(
          device_,
          std::vector<float>(rows * static_cast<std::size_t>(2 * distances + 1) * 64, 0.5f));
      line(distances == 1 ? "TriAttention, distances folded" : "TriAttention, maximum of 17",
           scoring(qwen3_8b, tokens_, distances, group), [&] {
             device_.run(TriAttentionScores{.rows = {.pool = pool_.parts()[0],
                                                     .tables = tables(),
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
    DecodeAttention op{.pool = pool_.parts()[0],
                       .tables = tables(),
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
  int tokens_, blocks_;
  DevicePool pool_, fresh_;
  Buffer<std::int32_t> indices_, indptr_, last_;
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
