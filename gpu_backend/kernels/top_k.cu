// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/row_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32, kDigits = 256;
constexpr unsigned kAll = 0xFFFFFFFFu;

/// Unsigned numbers in the order of the floats.
__device__ __forceinline__ unsigned order_key(float x) {
  if (x != x) return 0x007FFFFFu;                               // that of -inf
  const unsigned bits = __float_as_uint(x == 0.0f ? 0.0f : x);  // -0 is +0
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

struct Shared {
  unsigned histogram[kDigits];
  unsigned warp_totals[kWarps];
  unsigned prefix, wanted;
};

struct Scan {
  unsigned before, total;
};
/// Of one value a thread over the block. Two barriers.
__device__ __forceinline__ Scan exclusive_scan(unsigned value, Shared& shared) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  unsigned inclusive = value;
#pragma unroll
  for (unsigned d = 1; d < 32; d <<= 1) {
    const unsigned left = __shfl_up_sync(kAll, inclusive, d);
    if (lane >= int(d)) inclusive += left;
  }
  if (lane == 31) shared.warp_totals[warp] = inclusive;
  __syncthreads();
  Scan scan{inclusive - value, 0};
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) scan.before += shared.warp_totals[w];
    scan.total += shared.warp_totals[w];
  }
  __syncthreads();
  return scan;
}

/// A block a row: the threshold by four digits of 8 bits from the top, then an ordered write of all
/// above it and the first ones at it.
template <bool kUnsigned>
__global__ void __launch_bounds__(kThreads, kBlocks) top_k_kernel(__grid_constant__ const TopK op) {
  Shared& shared = simt::shared<Shared>();
  const RowRange range = range_of(op.rows, int(blockIdx.x));
  const float* const row = op.rows.data + std::int64_t{blockIdx.x} * op.rows.stride;
  const auto key_at = [row](int i) {
    return kUnsigned ? __ldg(reinterpret_cast<const unsigned*>(row) + i)
                     : order_key(__ldg(&row[i]));
  };
  std::int32_t* const kept = op.kept + std::int64_t{blockIdx.x} * op.keep;
  const int t = int(threadIdx.x), count = range.end - range.begin,
            keep = min(op.keep, max(count, 0));
  for (int i = keep + t; i < op.keep; i += kThreads)
    kept[i] = -1;
  if (keep == 0) return;

  if (t == 0) {
    shared.prefix = 0;
    shared.wanted = unsigned(keep);
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    shared.histogram[t] = 0;
    __syncthreads();
    const unsigned prefix = shared.prefix, wanted = shared.wanted;
    const unsigned above = shift == 24 ? 0u : ~0u << (shift + 8);
    for (int i = range.begin + t; i < range.end; i += kThreads) {
      const unsigned key = key_at(i);
      if ((key & above) == prefix) atomicAdd(&shared.histogram[key >> shift & 255u], 1u);
    }
    __syncthreads();
    // Thread t looks at digit 255 - t: how many have a larger one.
    const unsigned digit = 255u - unsigned(t), with_it = shared.histogram[digit];
    const unsigned larger = exclusive_scan(with_it, shared).before;
    if (larger < wanted && wanted <= larger + with_it) {  // one thread
      shared.prefix = prefix | digit << shift;
      shared.wanted = wanted - larger;
    }
    __syncthreads();
  }
  const unsigned threshold = shared.prefix, ties = shared.wanted;
  unsigned written = 0, tied = 0;
  for (int first = range.begin; first < range.end; first += kThreads) {
    const int i = first + t;
    const unsigned key = i < range.end ? key_at(i) : 0u;
    const bool equal = i < range.end && key == threshold;
    const Scan equals = exclusive_scan(equal ? 1u : 0u, shared);
    const bool stays = i < range.end && (key > threshold || (equal && tied + equals.before < ties));
    const Scan stay = exclusive_scan(stays ? 1u : 0u, shared);
    if (stays) kept[written + stay.before] = i;
    tied += equals.total;
    written += stay.total;
  }
}

}  // namespace

void run(const TopK& op, Stream stream) {
  check_rows(op.rows, "TopK");
  if (op.keep < 0) throw std::invalid_argument("TopK: keep is negative");
  if (op.keep == 0 || row_count(op.rows) == 0) return;
  const simt::Launch how{row_count(op.rows), kThreads, 0, stream};
  if (op.unsigned_keys)
    simt::launch(how, top_k_kernel<true>, op);
  else
    simt::launch(how, top_k_kernel<false>, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
