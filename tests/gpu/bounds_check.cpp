// SPDX-License-Identifier: Apache-2.0
// Kernels that touch what is not theirs, one an argument, under ASan and UBSan: each must be
// reported. `nothing` does all that is allowed and must not be.
#include <iostream>
#include <map>
#include <string>

#include "gpu_backend/simt/host/memory.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::test {
namespace {

constexpr int threads = 32;

struct Row {
  int values[threads];
};

__global__ void global_kernel(int* out, int beyond) {
  out[int(threadIdx.x) + beyond] = 1;
}
__global__ void dynamic_kernel(int* out, int beyond) {
  int* const mine = simt::dynamic_shared<int>();
  mine[int(threadIdx.x) + beyond] = 1;
  __syncthreads();
  out[threadIdx.x] = mine[threadIdx.x];
}
__global__ void shared_kernel(int* out, int beyond) {
  int* const mine = simt::shared<Row>().values;
  mine[int(threadIdx.x) + beyond] = 1;
  __syncthreads();
  out[threadIdx.x] = mine[threadIdx.x];
}
/// The block before has gone, with its shared memory.
__global__ void kept_pointer_kernel(int** kept, int* out) {
  if (blockIdx.x == 0) kept[threadIdx.x] = simt::shared<Row>().values;
  if (blockIdx.x == 1) out[threadIdx.x] = *kept[threadIdx.x];
}
__global__ void misaligned_kernel(int* out, int words) {
  if (threadIdx.x == 0) *reinterpret_cast<float4*>(out + words) = float4{};
}
__global__ void shift_kernel(int* out, int bits) {
  out[threadIdx.x] = 1 << (int(threadIdx.x) + bits);
}

struct Memory {
  Memory()
      : out(static_cast<int*>(simt::host::device_alloc(sizeof(Row)))),
        kept(static_cast<int**>(simt::host::device_alloc(threads * sizeof(int*)))) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    simt::host::device_free(out);
    simt::host::device_free(kept);
  }

  int* out;
  int** kept;
};

/// `beyond` is 0 for kernels as they should be.
using Launches = std::map<std::string, void (*)(const Memory&, int beyond)>;
const Launches& launches() {
  static const Launches all = {
      {"global",
       [](const Memory& m, int beyond) {
         simt::launch({1, threads}, global_kernel, m.out, beyond);
       }},
      {"dynamic",
       [](const Memory& m, int beyond) {
         simt::launch({1, threads, sizeof(Row)}, dynamic_kernel, m.out, beyond);
       }},
      {"shared",
       [](const Memory& m, int beyond) {
         simt::launch({1, threads}, shared_kernel, m.out, beyond);
       }},
      {"kept_pointer",
       [](const Memory& m, int beyond) {
         simt::launch({unsigned(1 + beyond), threads}, kept_pointer_kernel, m.kept, m.out);
       }},
      {"misaligned",
       [](const Memory& m, int beyond) {
         simt::launch({1, threads}, misaligned_kernel, m.out, beyond);
       }},
      {"shift", [](const Memory& m, int beyond) {
         simt::launch({1, threads}, shift_kernel, m.out, beyond);
       }}};
  return all;
}

bool run(const std::string& fault) {
  const Memory memory;
  if (fault == "nothing") {
    for (const auto& [name, launch] : launches())
      launch(memory, 0);
    return true;
  }
  const auto found = launches().find(fault);
  if (found != launches().end()) found->second(memory, 1);
  return found != launches().end();
}

}  // namespace
}  // namespace vacancy::test

int main(int argc, char** argv) {
  if (argc == 2 && vacancy::test::run(argv[1])) return 0;
  std::cerr << "usage: gpu_bounds_check "
               "nothing|global|dynamic|shared|kept_pointer|misaligned|shift\n";
  return 2;
}
