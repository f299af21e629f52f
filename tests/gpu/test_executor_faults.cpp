// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpu_backend/simt/host/sanitizers.hpp"
#include "gpu_backend/simt/simt.hpp"
#include "tests/gpu/schedules.hpp"

// Kernels with a fault each: the executor must name it, and run the next kernel as if nothing were.
namespace vacancy::simt {
namespace {

using Catch::Matchers::Contains;

__global__ void divergent_barrier_kernel() {
  if (threadIdx.x < 40)
    __syncthreads();
  else
    __syncthreads();
}
__global__ void missing_lane_kernel(int* out) {
  if (threadIdx.x != 7)
    out[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, int(threadIdx.x), 0);
  else
    __syncthreads();
}
__global__ void wrong_mask_kernel() {
  __syncwarp(0x0000FFFFu);
}
__global__ void mixed_kernel() {
  if (threadIdx.x < 16)
    __syncwarp();
  else
    __ballot_sync(0xFFFFFFFFu, 1);
}
struct Large {
  char bytes[100 * 1024];
};
template <int kNumber>
struct Larger : Large {};
__global__ void much_shared_kernel() {
  shared<Larger<0>>();
  shared<Larger<1>>();
  shared<Larger<2>>();
}
__global__ void dynamic_kernel() {
  *dynamic_shared<int>() = 1;
}
__global__ void nothing_kernel() {}
__global__ void nested_kernel() {
  launch({1, 1}, nothing_kernel);
}
__global__ void throwing_kernel() {
  __syncthreads();
  if (threadIdx.x == 3) throw std::runtime_error("thread 3");
  __syncthreads();
}
/// Wrong: a barrier is missing behind the first store.
__global__ void racy_sum_kernel(int* out) {
  int* const partial = dynamic_shared<int>();
  const unsigned t = threadIdx.x;
  partial[t] = 1;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) *out = partial[0];
}
__global__ void sum_kernel(int* out) {
  *out = int(__reduce_add_sync(0xFFFFFFFFu, 1u));
}

void check_works_still() {
  int out = 0;
  launch({1, 32}, sum_kernel, &out);
  CHECK(out == 32);
}

TEST_CASE("a barrier that threads reach at different lines is named") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    CHECK_THROWS_WITH(
        launch({1, 64}, divergent_barrier_kernel),
        Contains("divergent __syncthreads: thread") && Contains("test_executor_faults.cpp:"));
    check_works_still();
  }
}

TEST_CASE("a deadlock is named, with who waits where") {
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    std::vector<int> out(32);
    CHECK_THROWS_WITH(launch({1, 32}, missing_lane_kernel, out.data()),
                      Contains("deadlock") && Contains("thread 7 waits in __syncthreads") &&
                          Contains("thread 0 waits in __shfl_sync"));
    check_works_still();
  }
}

TEST_CASE("masks without their caller and mixed operations are named") {
  CHECK_THROWS_WITH(launch({1, 32}, wrong_mask_kernel),
                    Contains("__syncwarp: lane 16 calls it with a mask that it is not in"));
  CHECK_THROWS_WITH(launch({1, 32}, mixed_kernel),
                    Contains("calls __ballot_sync") && Contains("__syncwarp"));
  check_works_still();
}

TEST_CASE("launches that no GPU takes are refused") {
  CHECK_THROWS_WITH(launch({1, 2048}, nothing_kernel), Contains("a block of 2048 threads"));
  CHECK_THROWS_WITH(launch({1, dim3(0)}, nothing_kernel), Contains("a block of 0 threads"));
  CHECK_THROWS_WITH(launch({dim3(1, 70000), 1}, nothing_kernel), Contains("a grid of 1 x 70000"));
  CHECK_THROWS_WITH(launch({1, 32, 300 * 1024}, nothing_kernel), Contains("227 KiB of dynamic"));
  CHECK_THROWS_WITH(launch({1, 32}, much_shared_kernel), Contains("227 KiB of shared memory"));
  CHECK_THROWS_WITH(launch({1, 32}, dynamic_kernel), Contains("the launch gave none"));
  CHECK_THROWS_WITH(launch({1, 1}, nested_kernel), Contains("a launch inside a launch"));
  check_works_still();
}

TEST_CASE("what a thread throws comes out of the launch") {
  CHECK_THROWS_WITH(launch({2, 64}, throwing_kernel), "thread 3");
  check_works_still();
}

TEST_CASE("a missing barrier gives wrong sums under some schedule") {
  if (host::finds_races) return;  // it says so, and ends the program
  bool wrong = false;
  for (const auto& schedule : test::all_schedules) {
    const test::WithSchedule with(schedule);
    int out = 0;
    launch({1, 256, 256 * sizeof(int)}, racy_sum_kernel, &out);
    wrong = wrong || out != 256;
  }
  CHECK(wrong);
}

}  // namespace
}  // namespace vacancy::simt
