// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2;

/// Grid: (tokens, sets, requests). philox4x32_10() is the simulator's own; nvcc takes it as
/// constexpr.
__global__ void __launch_bounds__(kThreads, kBlocks)
    random_kernel(__grid_constant__ const RandomScores op) {
  const int token = int(blockIdx.x * kThreads + threadIdx.x);
  if (token >= op.length) return;
  const std::int64_t at = (std::int64_t{blockIdx.z} * op.sets + blockIdx.y) * op.length + token;
  const std::uint32_t id = op.tokens != nullptr ? __ldg(&op.tokens[at]) : std::uint32_t(token);
  op.scores[at] = philox4x32_10(
      {__ldg(&op.sequences[blockIdx.z]), blockIdx.y, __ldg(&op.rounds[blockIdx.z]), id},
      {op.key[0], op.key[1]})[0];
}

}  // namespace

void run(const RandomScores& op, Stream stream) {
  if (op.requests <= 0 || op.sets <= 0 || op.length <= 0) return;
  simt::launch({dim3(blocks_for(op.length, kThreads), unsigned(op.sets), unsigned(op.requests)),
                kThreads, 0, stream},
               random_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
