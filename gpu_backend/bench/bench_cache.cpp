// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/bench/bench_cache.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace vacancy::gpu {
namespace {

constexpr int slots = 16;

PoolShape pool_shape(const CacheShape& shape, int blocks) {
  return {.layers = shape.layers,
          .heads = shape.kv_heads,
          .head_dim = shape.head_dim,
          .blocks = blocks,
          .slots = slots};
}

}  // namespace

double median_seconds(Device& device, const std::function<void()>& call) {
  constexpr int warm_up = 2;
  std::array<double, 9> times{};
  for (int i = 0; i < warm_up; ++i)
    call();
  for (double& time : times)
    time = device.timed(call);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

BenchCache::BenchCache(Device& device, const CacheShape& shape, int tokens, int requests)
    : device_(device),
      shape_(shape),
      tokens_(tokens),
      requests_(requests),
      pool_(device, pool_shape(shape, requests * (tokens / slots))),
      fresh_(device, pool_.shape()) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(pool_.shape().blocks));
  std::iota(table.begin(), table.end(), 0);
  std::shuffle(table.begin(), table.end(), std::mt19937(1));
  indices_ = Buffer<std::int32_t>(device, table);
  last_ = Buffer<std::int32_t>(
      device, std::vector<std::int32_t>(static_cast<std::size_t>(requests), slots));
  fill();
}

BlockTables BenchCache::tables(int tokens) {
  std::vector<std::int32_t> indptr;
  for (int request = 0; request <= requests_; ++request)
    indptr.push_back(request * (tokens / slots));
  indptr_ = Buffer<std::int32_t>(device_, indptr);
  return {.indptr = indptr_.data(),
          .indices = indices_.data(),
          .last_page_len = last_.data(),
          .requests = requests_};
}

double BenchCache::copy_rate() {
  const double seconds = median_seconds(device_, [&] {
    device_.copy(fresh_.parts()[0].base, pool_.parts()[0].base, static_cast<std::size_t>(bytes()));
  });
  return 2.0 * double(bytes()) / seconds;
}

/// A part at first, then that copied over and over.
void BenchCache::fill() {
  std::vector<std::uint16_t> part(1 << 23);
  std::mt19937 random(1);
  for (auto& x : part)
    x = static_cast<std::uint16_t>((random() & 0x807F) | 0x3F00);
  auto* const base = static_cast<std::uint8_t*>(pool_.parts()[0].base);
  const std::size_t all = static_cast<std::size_t>(bytes());
  std::size_t done = std::min(all, part.size() * 2);
  device_.upload(base, part.data(), done);
  while (done < all) {
    const std::size_t more = std::min(done, all - done);
    device_.copy(base + done, base, more);
    done += more;
  }
}

}  // namespace vacancy::gpu
