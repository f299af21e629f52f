// SPDX-License-Identifier: Apache-2.0
// Prints what share of the bytes in their sectors kernels use, and fails where bulk accesses of
// rows in [block][plane][slot][dim] waste any.
#include <cstdio>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/simt/host/memtrace.hpp"
#include "gpu_backend/simt/simt.hpp"
#include "tests/gpu/exercises.hpp"

namespace vacancy::test {
namespace {

using simt::host::Transactions;

constexpr double least = 0.99;

__global__ void strided_kernel(uint4* out, int stride) {
  out[int(threadIdx.x) * stride] = uint4{};
}
struct Banks {
  unsigned words[32 * 33];
};
__global__ void banks_kernel(int stride) {
  simt::shared<Banks>().words[int(threadIdx.x) * stride] = 1;
}

/// The counter itself, on patterns of known cost.
bool counts_right(gpu::Device& device) {
  auto* const memory = static_cast<uint4*>(device.allocate(32 * 4 * sizeof(uint4)));
  simt::launch({1, 32}, strided_kernel, memory, 1);
  const double whole = simt::host::take_transactions().bulk_stores.efficiency();
  simt::launch({1, 32}, strided_kernel, memory, 2);  // half of every sector
  const double half = simt::host::take_transactions().bulk_stores.efficiency();
  device.release(memory);
  simt::launch({1, 32}, banks_kernel, 32);
  const auto conflict = simt::host::take_transactions().shared.units;
  simt::launch({1, 32}, banks_kernel, 33);
  const auto padded = simt::host::take_transactions().shared.units;
  std::printf("known patterns: %.2f, %.2f, %zu wavefronts, %zu wavefront\n", whole, half,
              std::size_t{conflict}, std::size_t{padded});
  return whole == 1.0 && half == 0.5 && conflict == 32 && padded == 1;
}

bool frugal(const Transactions& loads, const Transactions& stores) {
  return loads.requests + stores.requests > 0 && loads.efficiency() >= least &&
         stores.efficiency() >= least;
}

}  // namespace
}  // namespace vacancy::test

int main() {
  using namespace vacancy;
  const auto device = open_device(gpu::DeviceKind::cpu);
  bool right = test::counts_right(*device);
  std::printf("%-28s %11s %11s %11s %11s %11s %11s %11s\n", "used, of all sectors", "pool loads",
              "pool stores", "bulk loads", "bulk stores", "other loads", "other st.", "shared");
  for (const auto& exercise : test::exercises()) {
    simt::host::take_transactions();
    exercise.run(*device);
    const auto t = simt::host::take_transactions();
    std::printf("%-28s", exercise.name.c_str());
    for (const test::Transactions* part :
         {&t.pool_loads, &t.pool_stores, &t.bulk_loads, &t.bulk_stores, &t.other_loads,
          &t.other_stores, &t.shared}) {
      if (part->requests == 0)
        std::printf(" %11s", "-");
      else
        std::printf(" %10.1f%%", 100 * part->efficiency());
    }
    std::printf("\n");
    const bool pool = exercise.watched == test::Watched::pool;
    if (exercise.watched != test::Watched::nothing &&
        !(pool ? test::frugal(t.pool_loads, t.pool_stores)
               : test::frugal(t.bulk_loads, t.bulk_stores))) {
      std::printf("  wasteful, or nothing was counted\n");
      right = false;
    }
  }
  return right ? 0 : 1;
}
