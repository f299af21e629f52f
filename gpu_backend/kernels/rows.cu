// SPDX-License-Identifier: Apache-2.0
// What is done to rows of scores before they are ranked.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/block_reduction.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/row_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2;

/// A block a row; the mean first, so that squares are of differences.
__global__ void __launch_bounds__(kThreads, kBlocks)
    normalize_kernel(__grid_constant__ const NormalizeRows op) {
  float* const row = op.rows.data + std::int64_t{blockIdx.x} * op.rows.stride;
  const RowRange range = range_of(op.rows, int(blockIdx.x));
  if (range.end <= range.begin) return;
  const float count = float(range.end - range.begin);
  float sum = 0.0f;
  for (int i = range.begin + int(threadIdx.x); i < range.end; i += kThreads)
    sum += row[i];
  const float mean = block_sum<kThreads>(sum) / count;
  float squares = 0.0f;
  for (int i = range.begin + int(threadIdx.x); i < range.end; i += kThreads)
    squares = __fmaf_rn(row[i] - mean, row[i] - mean, squares);
  const float deviation = fmaxf(sqrtf(block_sum<kThreads>(squares) / count), 1e-6f);
  for (int i = int(threadIdx.x); i < range.end; i += kThreads)
    row[i] = (row[i] - mean) / deviation;
}

/// Grid: (rows, elements).
__global__ void __launch_bounds__(kThreads, kBlocks)
    neighbours_kernel(__grid_constant__ const PoolNeighbours op) {
  const std::int64_t first = std::int64_t{blockIdx.x} * op.rows.stride;
  const float* __restrict__ const row = op.rows.data + first;
  const RowRange range = range_of(op.rows, int(blockIdx.x));
  const int i = range.begin + int(blockIdx.y * kThreads + threadIdx.x), reach = op.kernel / 2;
  if (i >= range.end) return;
  const int begin = max(range.begin, i - reach), end = min(range.end, i + reach + 1);
  float joined = op.maximum ? -INFINITY : 0.0f;
  for (int j = begin; j < end; ++j)
    joined = op.maximum ? fmaxf(joined, row[j]) : joined + row[j];
  op.target[first + i] = op.maximum ? joined : joined / float(op.kernel);
}

struct Joined {
  Join how;
  float value;
  int count;

  __device__ __forceinline__ explicit Joined(Join how_)
      : how(how_), value(how_ == Join::max ? -INFINITY : 0.0f), count(0) {}
  __device__ __forceinline__ void add(float x) {
    value = how == Join::max ? fmaxf(value, x) : value + x;
    ++count;
  }
  __device__ __forceinline__ float result() const {
    return how == Join::mean ? value / float(count) : value;
  }
};

/// Grid: (elements, rows of the result, requests).
__global__ void __launch_bounds__(kThreads, kBlocks)
    join_kernel(__grid_constant__ const JoinRows op) {
  const int i = int(blockIdx.x * kThreads + threadIdx.x), request = int(blockIdx.z);
  if (i >= __ldg(&op.rows.end[request])) return;
  const int heads_out = op.over_heads == Join::none ? op.heads : 1;
  const int members_out = op.over_members == Join::none ? op.members : 1;
  int rest = int(blockIdx.y);
  const int member = rest % members_out, head = rest / members_out % heads_out;
  const int layer = rest / members_out / heads_out;
  const auto ends = [](Join join, int one, int all, int& begin, int& end) {
    begin = join == Join::none ? one : 0;
    end = join == Join::none ? one + 1 : all;
  };
  int layer_begin, layer_end, head_begin, head_end, member_begin, member_end;
  ends(op.over_layers, layer, op.layers, layer_begin, layer_end);
  ends(op.over_heads, head, op.heads, head_begin, head_end);
  ends(op.over_members, member, op.members, member_begin, member_end);
  Joined layers(op.over_layers);
  for (int l = layer_begin; l < layer_end; ++l) {
    Joined heads(op.over_heads);
    for (int h = head_begin; h < head_end; ++h) {
      Joined members(op.over_members);
      for (int m = member_begin; m < member_end; ++m)
        members.add(__ldg(&op.rows.data[((std::int64_t{request} * op.layers + l) * op.heads + h) *
                                            op.members * op.rows.stride +
                                        m * op.rows.stride + i]));
      heads.add(members.result());
    }
    layers.add(heads.result());
  }
  op.target[(std::int64_t{request} * gridDim.y + blockIdx.y) * op.rows.stride + i] =
      layers.result();
}

unsigned columns(const ScoreRows& rows) {
  return blocks_for(rows.stride, kThreads);
}

}  // namespace

void run(const NormalizeRows& op, Stream stream) {
  check_rows(op.rows, "NormalizeRows");
  if (row_count(op.rows) == 0) return;
  simt::launch({row_count(op.rows), kThreads, 0, stream}, normalize_kernel, op);
}

void run(const PoolNeighbours& op, Stream stream) {
  check_rows(op.rows, "PoolNeighbours");
  if (op.kernel < 1 || op.kernel % 2 == 0)
    throw std::invalid_argument("PoolNeighbours: the kernel is an odd number");
  if (row_count(op.rows) == 0 || op.rows.stride == 0) return;
  simt::launch({dim3(row_count(op.rows), columns(op.rows)), kThreads, 0, stream}, neighbours_kernel,
               op);
}

void run(const JoinRows& op, Stream stream) {
  check_rows(op.rows, "JoinRows");
  if (op.rows.per_request != op.layers * op.heads * op.members)
    throw std::invalid_argument("JoinRows: a request has layers * heads * members rows");
  if (row_count(op.rows) == 0 || op.rows.stride == 0) return;
  const int rows_out = (op.over_layers == Join::none ? op.layers : 1) *
                       (op.over_heads == Join::none ? op.heads : 1) *
                       (op.over_members == Join::none ? op.members : 1);
  simt::launch(
      {dim3(columns(op.rows), unsigned(rows_out), unsigned(op.rows.requests)), kThreads, 0, stream},
      join_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
