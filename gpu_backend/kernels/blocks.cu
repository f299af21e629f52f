// SPDX-License-Identifier: Apache-2.0
// What a block of slots is worth, and whether anybody still holds it.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/row_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 128, kBlocks = 4;

/// Grid: (blocks, rows); a thread has a block of slots.
__global__ void __launch_bounds__(kThreads, kBlocks)
    aggregate_kernel(__grid_constant__ const AggregateBlocks op) {
  const RowRange range = range_of(op.rows, int(blockIdx.y));
  const int block = int(blockIdx.x * kThreads + threadIdx.x), first = block * op.slots;
  if (first >= range.end) return;
  const float* const row = op.rows.data + std::int64_t{blockIdx.y} * op.rows.stride;
  float best[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  float sum = 0.0f;
  int live = 0;
  for (int i = max(first, range.begin); i < min(first + op.slots, range.end); ++i) {
    float x = __ldg(&row[i]);
    if (x != x) continue;
    ++live;
    sum += x;
#pragma unroll
    for (float& slot : best)  // descending; the new number sinks to its place
      if (x > slot) {
        const float pushed = slot;
        slot = x;
        x = pushed;
      }
  }
  float result = -INFINITY;
  if (live > 0) {
    if (op.join == BlockJoin::sum) result = sum;
    if (op.join == BlockJoin::mean) result = sum / float(live);
    if (op.join == BlockJoin::max) result = best[0];
    if (op.join == BlockJoin::top4) {
      result = best[0];
      for (int j = 1; j < min(live, 4); ++j)
        result += best[j];
    }
  }
  op.target[std::int64_t{blockIdx.y} * op.target_stride + block] = result;
}

struct Occupied {
  unsigned empty;
};

/// A block a request: marks the union of its sets, then counts a block of slots a thread.
__global__ void __launch_bounds__(kThreads, kBlocks)
    occupancy_kernel(__grid_constant__ const BlockOccupancy op) {
  Occupied& shared = simt::shared<Occupied>();
  const int request = int(blockIdx.x), t = int(threadIdx.x);
  std::uint32_t* const mask = op.masks + std::int64_t{request} * op.mask_words;
  const std::int32_t* const kept = op.kept + std::int64_t{request} * op.sets * op.stride;
  const int length = __ldg(&op.lengths[request]);
  if (t == 0) shared.empty = 0;
  for (int w = t; w < op.mask_words; w += kThreads)
    mask[w] = 0;
  __syncthreads();
  for (std::int64_t i = t; i < op.sets * op.stride; i += kThreads) {
    const int slot = __ldg(&kept[i]);
    if (slot >= 0) atomicOr(&mask[slot / 32], 1u << slot % 32);
  }
  __syncthreads();
  for (int block = t; block * op.slots < length; block += kThreads) {
    int live = 0;
    for (int slot = block * op.slots; slot < min(length, (block + 1) * op.slots); ++slot)
      live += int(mask[slot / 32] >> slot % 32 & 1u);
    op.live[std::int64_t{request} * op.live_stride + block] = live;
    if (live == 0) atomicAdd(&shared.empty, 1u);
  }
  __syncthreads();
  if (t == 0) op.empty_blocks[request] = int(shared.empty);
}

}  // namespace

void run(const AggregateBlocks& op, Stream stream) {
  check_rows(op.rows, "AggregateBlocks");
  if (op.slots < 1) throw std::invalid_argument("AggregateBlocks: a block has a slot at least");
  if (row_count(op.rows) == 0 || op.rows.stride == 0) return;
  const unsigned blocks = blocks_for(op.rows.stride, op.slots);
  simt::launch({dim3(blocks_for(blocks, kThreads), row_count(op.rows)), kThreads, 0, stream},
               aggregate_kernel, op);
}

void run(const BlockOccupancy& op, Stream stream) {
  if (op.slots < 1 || op.sets < 1)
    throw std::invalid_argument("BlockOccupancy: a block has a slot, a request a set at least");
  if (op.requests <= 0) return;
  simt::launch({unsigned(op.requests), kThreads, 0, stream}, occupancy_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
