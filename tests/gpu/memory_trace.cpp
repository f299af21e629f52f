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

}  // namespace
}  // namespace vacancy::test

int main() {
  using namespace vacancy;
  const auto device = open_device(gpu::DeviceKind::cpu);
  bool right = test::counts_right(*device);
  std::printf("%-28s %13s %13s %13s %13s %13s\n", "sectors used, of all loaded", "bulk loads",
              "bulk stores", "other loads", "other stores", "shared");
  for (const auto& exercise : test::exercises()) {
    simt::host::take_transactions();
    exercise.run(*device);
    const auto totals = simt::host::take_transactions();
    std::printf("%-28s %12.1f%% %12.1f%% %12.1f%% %12.1f%% %12.1f%%\n", exercise.name.c_str(),
                100 * totals.bulk_loads.efficiency(), 100 * totals.bulk_stores.efficiency(),
                100 * totals.other_loads.efficiency(), 100 * totals.other_stores.efficiency(),
                100 * totals.shared.efficiency());
    if (exercise.bulk &&
        (totals.bulk_loads.requests == 0 || totals.bulk_loads.efficiency() < test::least ||
         totals.bulk_stores.efficiency() < test::least)) {
      std::printf("  wasteful, or nothing was counted\n");
      right = false;
    }
  }
  return right ? 0 : 1;
}
