// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 4;
constexpr int kHeads = 4;  // of a thread, that share one sine
constexpr double kTurnsPerRadian = 0x1.45f306dc9c883p-3;

/// Heads of all layers that a block has.
__device__ __host__ __forceinline__ int heads_of_block(int bands) {
  return kHeads * (kThreads / bands);
}

/// Grid: (query heads of all layers, requests). A thread keeps to its band. The angle grows with
/// the position, to 1e5 radians and more, where floats are 2^-7 apart: it is reduced in double, and
/// only the finished weight is rounded to float.
__global__ void __launch_bounds__(kThreads, kBlocks)
    weights_kernel(__grid_constant__ const TriAttentionWeights op) {
  const int band = int(threadIdx.x) % op.bands, step = kThreads / op.bands;
  const int heads = op.layers * op.query_heads;
  const int first = int(blockIdx.x) * heads_of_block(op.bands) + int(threadIdx.x) / op.bands;
  const int end = min(heads, int(blockIdx.x + 1) * heads_of_block(op.bands));
  const std::int64_t request = blockIdx.y;
  const std::int64_t row = std::int64_t{2 * op.distances + 1} * op.bands;
  double sine = 0, cosine = 1;
  simt::sincos_of_turns(
      __ldg(&op.positions[request]) * (__ldg(&op.frequencies[band]) * kTurnsPerRadian), &sine,
      &cosine);
  for (int d = 0; d < op.distances; ++d) {
    const double* const rotation = op.rotations + 2 * d * op.bands + band;
    const double re = __ldg(rotation), im = __ldg(rotation + op.bands);
    const double c = re * cosine - im * sine, z = re * sine + im * cosine;
    for (int head = first; head < end; head += step) {
      const float* const mean = op.calibration + std::int64_t{3 * head} * op.bands + band;
      const double mean_re = __ldg(mean), mean_im = __ldg(mean + op.bands);
      float* const out = op.weights + (request * heads + head) * row + 2 * d * op.bands + band;
      out[0] = float(mean_re * c - mean_im * z);
      out[op.bands] = float(mean_re * z + mean_im * c);
    }
  }
  for (int head = first; head < end; head += step)
    op.weights[(request * heads + head) * row + 2 * op.distances * op.bands + band] =
        __ldg(&op.calibration[std::int64_t{3 * head + 2} * op.bands + band]);
}

}  // namespace

void run(const TriAttentionWeights& op, Stream stream) {
  if (op.bands < 1 || kThreads % op.bands != 0 || op.distances < 0)
    throw std::invalid_argument("TriAttentionWeights: the bands of a head must divide " +
                                std::to_string(kThreads) + ", as 32, 64 and 128 do, not " +
                                std::to_string(op.bands));
  if (op.requests <= 0 || op.layers <= 0 || op.query_heads <= 0) return;
  simt::launch({dim3(blocks_for(std::int64_t{op.layers} * op.query_heads, heads_of_block(op.bands)),
                     unsigned(op.requests)),
                kThreads, 0, stream},
               weights_kernel, op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
