// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu_backend/simt/simt.hpp"
#include "tests/gpu/schedules.hpp"

// Kernels of known answers, over every schedule.
namespace vacancy::simt {
namespace {

__global__ void index_kernel(std::vector<int>& seen) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  ++seen[block * blockDim.x * blockDim.y * blockDim.z + thread];
}

/// The classic tree: log2(threads) barriers.
__global__ void tree_sum_kernel(const int* in, int* out) {
  int* const partial = dynamic_shared<int>();
  const unsigned t = threadIdx.x;
  partial[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

struct Answers {
  int xor_sum, down_sum, up, broadcast, segment;
  unsigned ballot, reduce_add, reduce_max;
  int any, all, count;
};
__global__ void warp_kernel(Answers* out) {
  const int lane = int(threadIdx.x) % 32;
  Answers& mine = out[threadIdx.x];
  mine.xor_sum = lane;
  for (int bit = 16; bit > 0; bit /= 2)
    mine.xor_sum += __shfl_xor_sync(0xFFFFFFFFu, mine.xor_sum, bit);
  mine.down_sum = lane;
  for (unsigned d = 16; d > 0; d /= 2)
    mine.down_sum += __shfl_down_sync(0xFFFFFFFFu, mine.down_sum, d);
  mine.up = __shfl_up_sync(0xFFFFFFFFu, lane, 3u);
  mine.broadcast = __shfl_sync(0xFFFFFFFFu, lane, 5);
  mine.segment = __shfl_sync(0xFFFFFFFFu, lane, 1, 8);
  mine.ballot = __ballot_sync(0xFFFFFFFFu, lane % 3 == 0);
  mine.reduce_add = __reduce_add_sync(0xFFFFFFFFu, unsigned(lane));
  mine.reduce_max = __reduce_max_sync(0xFFFFFFFFu, unsigned(lane ^ 5));
  mine.any = __any_sync(0xFFFFFFFFu, lane == 31);
  mine.all = __all_sync(0xFFFFFFFFu, lane != 31);
  mine.count = __syncthreads_count(threadIdx.x % 4 == 0);
}

/// Two halves of a warp in different operations at a time, as after a divergent branch.
__global__ void divergent_kernel(int* out) {
  const int lane = int(threadIdx.x);
  if (lane < 16)
    out[lane] = __shfl_sync(0x0000FFFFu, lane, 7);
  else
    out[lane] = int(__ballot_sync(0xFFFF0000u, lane % 2));
}

__global__ void early_exit_kernel(int* out) {
  if (threadIdx.x % 2 == 1) return;
  __syncthreads();
  out[threadIdx.x] = int(__ballot_sync(0xFFFFFFFFu, 1));
}

__global__ void atomic_kernel(unsigned* sum, unsigned* most, unsigned* bits) {
  atomicAdd(sum, threadIdx.x);
  atomicMax(most, threadIdx.x ^ 3u);
  atomicOr(bits, 1u << threadIdx.x % 32);
}

struct Poisoned {
  float values[4];
};
__global__ void poison_kernel(float* out) {
  out[threadIdx.x] = shared<Poisoned>().values[threadIdx.x];
  shared<Poisoned>().values[threadIdx.x] = 1;
}

TEST_CASE("every thread of every block runs once") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    std::vector<int> seen(2 * 3 * 2 * 5 * 2 * 3);
    launch({dim3(2, 3, 2), dim3(5, 2, 3)}, index_kernel, seen);
    CHECK(seen == std::vector<int>(seen.size(), 1));
  }
}

TEST_CASE("barriers order shared memory") {
  std::vector<int> in(5 * 1024);
  std::iota(in.begin(), in.end(), -700);
  for (const auto& schedule : test::all_schedules)
    for (const unsigned threads : {1u, 32u, 256u, 1024u}) {
      const test::WithSchedule with(schedule);
      std::vector<int> out(5);
      launch({5, threads, threads * sizeof(int)}, tree_sum_kernel, in.data(), out.data());
      for (unsigned b = 0; b < 5; ++b)
        CHECK(out[b] == std::accumulate(&in[b * threads], &in[b * threads] + threads, 0));
    }
}

TEST_CASE("warp operations give what CUDA's guide says") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    std::vector<Answers> out(64);
    launch({1, 64}, warp_kernel, out.data());
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32;
      const Answers& a = out[std::size_t(t)];
      CHECK(a.xor_sum == 31 * 32 / 2);
      if (lane == 0) CHECK(a.down_sum == 31 * 32 / 2);
      CHECK(a.up == (lane < 3 ? lane : lane - 3));
      CHECK(a.broadcast == 5);
      CHECK(a.segment == lane / 8 * 8 + 1);
      CHECK(a.ballot == 0x49249249u);
      CHECK(a.reduce_add == 31u * 32u / 2u);
      CHECK(a.reduce_max == 31u);
      CHECK(a.any == 1);
      CHECK(a.all == 0);
      CHECK(a.count == 16);
    }
  }
}

TEST_CASE("lanes that diverged meet by their masks; nobody waits for those that left") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    std::vector<int> out(32);
    launch({1, 32}, divergent_kernel, out.data());
    for (int lane = 0; lane < 32; ++lane)
      CHECK(out[std::size_t(lane)] == (lane < 16 ? 7 : int(0xAAAA0000u)));
    launch({1, 32}, early_exit_kernel, out.data());
    CHECK(out[0] == 0x55555555);
  }
}

TEST_CASE("atomics lose nothing") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    unsigned sum = 0, most = 0, bits = 0;
    launch({3, 96}, atomic_kernel, &sum, &most, &bits);
    CHECK(sum == 3 * 95 * 96 / 2);
    CHECK(most == 95u);
    CHECK(bits == 0xFFFFFFFFu);
  }
}

TEST_CASE("shared memory is fresh for every block and no number before it is written") {
  std::vector<float> out(4);
  launch({2, 4}, poison_kernel, out.data());
  for (const float value : out)
    CHECK(value != value);
}

TEST_CASE("the same seed gives the same schedule") {
  const auto switches = [](std::uint64_t seed) {
    const test::WithSchedule with({host::Order::random, seed});
    const std::uint64_t before = host::execution_counts().switches;
    unsigned sum = 0, most = 0, bits = 0;
    launch({3, 96}, atomic_kernel, &sum, &most, &bits);
    return host::execution_counts().switches - before;
  };
  CHECK(switches(3) == switches(3));
  CHECK(switches(3) != switches(4));
}

}  // namespace
}  // namespace vacancy::simt
