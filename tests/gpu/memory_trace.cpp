// SPDX-License-Identifier: Apache-2.0
// Prints what share of the bytes in their sectors kernels use, and fails where accesses of rows
// waste more, or less, than is said of their layout, or no access is seen at all.
#include <cmath>
#include <cstdio>
#include <optional>

#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/simt/host/memtrace.hpp"
#include "gpu_backend/simt/simt.hpp"
#include "tests/gpu/exercises.hpp"

namespace vacancy::test {
namespace {

using simt::host::Transactions;

/// Between a share and what is said of it.
constexpr double tolerance = 0.01;

__global__ void strided_kernel(uint4* out, int stride) {
  out[int(threadIdx.x) * stride] = uint4{};
}
/// Each lane walks a row of its own.
constexpr int row_units = 16;
__global__ void thread_a_row_kernel(uint4* rows) {
  for (int unit = 0; unit < row_units; ++unit) {
    uint4& at = rows[int(threadIdx.x) * row_units + unit];
    const uint4 held = at;
    at = held;
  }
}
struct Banks {
  unsigned words[32 * 33];
};
__global__ void banks_kernel(int stride) {
  simt::shared<Banks>().words[int(threadIdx.x) * stride] = 1;
}

bool as_said(const Transactions& counted, std::optional<double> share) {
  if (!share) return counted.requests == 0;
  return counted.requests > 0 && std::abs(counted.efficiency() - *share) <= tolerance;
}

/// The counter itself, and the rule, on patterns of known cost.
bool counts_right(gpu::Device& device) {
  bool right = true;
  const auto expect = [&right](bool holds, const char* what) {
    if (!holds) std::printf("known patterns: %s\n", what);
    right &= holds;
  };
  auto* const memory = static_cast<uint4*>(device.allocate(32 * row_units * sizeof(uint4)));
  const auto stores = [memory](int stride) {
    simt::launch({1, 32}, strided_kernel, memory, stride);
    return simt::host::take_transactions();
  };
  expect(stores(1).bulk_stores.efficiency() == 1.0, "whole sectors count as wasted");
  expect(stores(2).bulk_stores.efficiency() == 0.5, "half sectors do not count as half");
  expect(!as_said(stores(1).row_stores, 1.0), "stores that nobody named pass as stores of rows");
  simt::host::trace_rows(memory);
  expect(as_said(stores(1).row_stores, 1.0), "whole rows are reported");
  expect(!as_said(stores(1).row_stores, {}), "stores where there should be none are not reported");
  expect(!as_said(stores(2).row_stores, 1.0), "a strided kernel is not reported");
  simt::launch({1, 32}, thread_a_row_kernel, memory);
  const auto rows = simt::host::take_transactions();
  expect(as_said(rows.row_loads, 0.5) && as_said(rows.row_stores, 0.5),
         "a thread a row does not use half of the sectors");
  device.release(memory);
  simt::launch({1, 32}, banks_kernel, 32);
  expect(simt::host::take_transactions().shared.units == 32, "a conflict of all lanes is missed");
  simt::launch({1, 32}, banks_kernel, 33);
  expect(simt::host::take_transactions().shared.units == 1, "padded rows conflict");
  return right;
}

bool run(gpu::Device& device, const Exercise& exercise) {
  simt::host::take_transactions();
  exercise.run(device);
  const auto t = simt::host::take_transactions();
  std::printf("%-34s", exercise.name.c_str());
  for (const Transactions* part : {&t.row_loads, &t.row_stores, &t.bulk_loads, &t.bulk_stores,
                                   &t.other_loads, &t.other_stores, &t.shared}) {
    if (part->requests == 0)
      std::printf(" %11s", "-");
    else
      std::printf(" %10.1f%%", 100 * part->efficiency());
  }
  std::printf("\n");
  const RowShares& shares = exercise.shares;
  const bool any = t.row_loads.requests + t.row_stores.requests + t.bulk_loads.requests +
                       t.bulk_stores.requests + t.other_loads.requests + t.other_stores.requests >
                   0;
  if (!any) std::printf("  no access of it was counted\n");
  const bool right =
      any && as_said(t.row_loads, shares.loads) && as_said(t.row_stores, shares.stores);
  if (!right)
    std::printf("  its rows should be %.0f%% and %.0f%%, 0%% for none\n",
                100 * shares.loads.value_or(0), 100 * shares.stores.value_or(0));
  return right;
}

}  // namespace
}  // namespace vacancy::test

int main() {
  using namespace vacancy;
  const auto device = open_device(gpu::DeviceKind::cpu);
  bool right = test::counts_right(*device);
  std::printf("%-34s %11s %11s %11s %11s %11s %11s %11s\n", "used, of all sectors", "row loads",
              "row stores", "bulk loads", "bulk stores", "other loads", "other st.", "shared");
  for (const auto& exercises : {test::exercises(), test::layout_exercises()})
    for (const auto& exercise : exercises)
      right &= test::run(*device, exercise);
  return right ? 0 : 1;
}
