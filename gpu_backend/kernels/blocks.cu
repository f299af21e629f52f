// SPDX-License-Identifier: Apache-2.0
// What a block of slots is worth, and whether anybody still holds it.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/row_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 128, kBlocks = 4;

/// Grid: (rows, blocks); a thread has a block of slots.
__global__ void __launch_bounds__(kThreads, kBlocks)
    aggregate_kernel(__grid_constant__ const AggregateBlocks op) {
  const RowRange range = range_of(op.rows, int(blockIdx.x));
  const int block = int(blockIdx.y * kThreads + threadIdx.x), first = block * op.slots;
  if (first >= range.end) return;
  const float* const row = op.rows.data + std::int64_t{blockIdx.x} * op.rows.stride;
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
  op.target[std::int64_t{blockIdx.x} * op.target_stride + block] = result;
}

constexpr int kPart = 4096;  // entries of a request's keep sets that a block of threads reads

__global__ void __launch_bounds__(kThreads, kBlocks)
    clear_kernel(__grid_constant__ const BlockOccupancy op) {
  const std::int64_t word = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (word < std::int64_t{op.requests} * op.mask_words) op.masks[word] = 0;
}

/// Grid: (parts of the sets, requests). The union of a part in shared memory, then into the
/// request's mask, which is clear at first.
__global__ void __launch_bounds__(kThreads, kBlocks)
    mark_kernel(__grid_constant__ const BlockOccupancy op) {
  std::uint32_t* const part = simt::dynamic_shared<std::uint32_t>();
  const int request = int(blockIdx.y), t = int(threadIdx.x);
  for (int w = t; w < op.mask_words; w += kThreads)
    part[w] = 0;
  __syncthreads();
  const std::int64_t entries = op.sets * op.stride, first = std::int64_t{blockIdx.x} * kPart;
  const std::int64_t end = first + kPart < entries ? first + kPart : entries;
  const std::int32_t* const kept = op.kept + request * entries;
  for (std::int64_t i = first + t; i < end; i += kThreads) {
    const int slot = __ldg(&kept[i]);
    if (slot >= 0) atomicOr(&part[slot / 32], 1u << slot % 32);
  }
  __syncthreads();
  std::uint32_t* const mask = op.masks + std::int64_t{request} * op.mask_words;
  for (int w = t; w < op.mask_words; w += kThreads)
    if (part[w] != 0) atomicOr(&mask[w], part[w]);
}

struct Occupied {
  unsigned empty;
};

/// A block of threads a request; a thread counts a block of slots.
__global__ void __launch_bounds__(kThreads, kBlocks)
    count_kernel(__grid_constant__ const BlockOccupancy op) {
  Occupied& shared = simt::shared<Occupied>();
  const int request = int(blockIdx.x), t = int(threadIdx.x);
  const std::uint32_t* const mask = op.masks + std::int64_t{request} * op.mask_words;
  const int length = __ldg(&op.lengths[request]);
  if (t == 0) shared.empty = 0;
  __syncthreads();
  for (int block = t; block * op.slots < length; block += kThreads) {
    int live = 0;
    for (int slot = block * op.slots; slot < min(length, (block + 1) * op.slots); ++slot)
      live += int(__ldg(&mask[slot / 32]) >> slot % 32 & 1u);
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
  simt::launch({dim3(row_count(op.rows), blocks_for(blocks, kThreads)), kThreads, 0, stream},
               aggregate_kernel, op);
}

void run(const BlockOccupancy& op, Stream stream) {
  if (op.slots < 1 || op.sets < 1 || op.mask_words < 1)
    throw std::invalid_argument(
        "BlockOccupancy: a block has a slot, a request a set, a mask a word at least");
  if (op.requests <= 0) return;
  const unsigned requests = unsigned(op.requests);
  const std::size_t mask_bytes = std::size_t(op.mask_words) * sizeof(std::uint32_t);
  if (mask_bytes > simt::largest_dynamic_shared())
    throw std::invalid_argument("BlockOccupancy: a mask of " + std::to_string(op.mask_words) +
                                " words does not fit the shared memory of a block, " +
                                std::to_string(simt::largest_dynamic_shared()) + " bytes");
  simt::launch(
      {blocks_for(std::int64_t{op.requests} * op.mask_words, kThreads), kThreads, 0, stream},
      clear_kernel, op);
  if (op.stride > 0)
    simt::launch(
        {dim3(blocks_for(op.sets * op.stride, kPart), requests), kThreads, mask_bytes, stream},
        mark_kernel, op);
  simt::launch({requests, kThreads, 0, stream}, count_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
