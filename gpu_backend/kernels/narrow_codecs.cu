// SPDX-License-Identifier: Apache-2.0
// FP8, INT8, INT4 and NVFP4. A thread has four values, so that a warp's access is one contiguous
// piece.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/codecs/integer_groups.hpp"
#include "gpu_backend/kernels/codecs/nvfp4.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/value_access.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xFFFFFFFFu;

__device__ __forceinline__ std::int64_t thread_number() {
  return std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
}

template <class Format>
__global__ void __launch_bounds__(kThreads, kBlocks)
    encode_fp8_kernel(__grid_constant__ const EncodeFp8 op) {
  const std::int64_t i = thread_number();
  if (i * 4 >= op.count) return;
  const float4 x = load_four(op.values, op.type, i);
  reinterpret_cast<std::uint32_t*>(op.codes)[i] = encode_four(
      make_float4(x.x / op.scale, x.y / op.scale, x.z / op.scale, x.w / op.scale), Format{});
}
template <class Format>
__global__ void __launch_bounds__(kThreads, kBlocks)
    decode_fp8_kernel(__grid_constant__ const DecodeFp8 op) {
  const std::int64_t i = thread_number();
  if (i * 4 >= op.count) return;
  const float4 x =
      decode_four(__ldcs(reinterpret_cast<const std::uint32_t*>(op.codes) + i), Format{});
  store_four(op.values, op.type, i,
             make_float4(x.x * op.scale, x.y * op.scale, x.z * op.scale, x.w * op.scale));
}

/// The codes of four values, as wide as they are.
template <int kBits>
struct FourCodes;
template <>
struct FourCodes<8> {
  using Word = std::uint32_t;
};
template <>
struct FourCodes<4> {
  using Word = std::uint16_t;
};

/// A warp a row.
template <int kBits>
__global__ void __launch_bounds__(kThreads, kBlocks)
    encode_integers_kernel(__grid_constant__ const EncodeIntegers op) {
  using Word = typename FourCodes<kBits>::Word;
  const int lane = int(threadIdx.x) % 32, quads = op.row_elements / 4;
  const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= op.rows) return;
  float largest = 0.0f;
  for (int q = lane; q < quads; q += 32)
    largest = larger(largest, largest_of(load_four(op.values, op.type, row * quads + q)));
#pragma unroll
  for (int o = 16; o > 0; o >>= 1)
    largest = larger(largest, __shfl_xor_sync(kAll, largest, o));
  const float scale = integer_scale(largest, kBits);
  const auto code = [scale](float x, int place) {
    constexpr std::uint32_t mask = (1u << kBits) - 1;
    return (std::uint32_t(encode_integer(x, scale, kBits)) & mask) << kBits * place;
  };
  for (int q = lane; q < quads; q += 32) {
    const float4 x = load_four(op.values, op.type, row * quads + q);
    reinterpret_cast<Word*>(op.codes)[row * quads + q] =
        Word(code(x.x, 0) | code(x.y, 1) | code(x.z, 2) | code(x.w, 3));
  }
  if (lane == 0) op.scales[row] = scale;
}
template <int kBits>
__global__ void __launch_bounds__(kThreads, kBlocks)
    decode_integers_kernel(__grid_constant__ const DecodeIntegers op) {
  using Word = typename FourCodes<kBits>::Word;
  const std::int64_t i = thread_number(), quads = op.row_elements / 4;
  if (i >= op.rows * quads) return;
  const std::uint32_t codes = __ldcs(reinterpret_cast<const Word*>(op.codes) + i);
  const float scale = __ldg(&op.scales[i / quads]);
  const auto value = [&](int place) {
    // The sign bit goes to the top, and comes down again with its copies.
    const auto top = static_cast<std::int32_t>(codes << (32 - kBits * (place + 1)));
    return decode_integer(top >> (32 - kBits), scale);
  };
  store_four(op.values, op.type, i, make_float4(value(0), value(1), value(2), value(3)));
}

/// Four lanes a group; two shuffles find its maximum. One thread a group would touch each sector
/// twice.
__global__ void __launch_bounds__(kThreads, kBlocks)
    encode_nvfp4_kernel(__grid_constant__ const EncodeNvfp4 op) {
  const std::int64_t quads = op.groups * 4, i = thread_number();
  // All lanes stay for the shuffles.
  const float4 x = load_four(op.values, op.type, i < quads ? i : quads - 1);
  float largest = larger(0.0f, largest_of(x));  // 0 if all are NaN
  largest = larger(largest, __shfl_xor_sync(kAll, largest, 1));
  largest = larger(largest, __shfl_xor_sync(kAll, largest, 2));
  if (i >= quads) return;
  const std::uint8_t scale = nvfp4_scale(largest, op.global);
  const float by = nvfp4_multiplier(scale, op.global);
  reinterpret_cast<std::uint16_t*>(op.codes)[i] =
      std::uint16_t(encode_e2m1(x.x * by) | encode_e2m1(x.y * by) << 4 |
                    encode_e2m1(x.z * by) << 8 | encode_e2m1(x.w * by) << 12);
  if (i % 4 == 0) op.scales[i / 4] = scale;
}
__global__ void __launch_bounds__(kThreads, kBlocks)
    decode_nvfp4_kernel(__grid_constant__ const DecodeNvfp4 op) {
  const std::int64_t i = thread_number();
  if (i >= op.groups * 4) return;
  const std::uint32_t codes = __ldcs(reinterpret_cast<const std::uint16_t*>(op.codes) + i);
  const std::uint8_t scale = __ldg(&op.scales[i / 4]);
  const auto value = [&](int nibble) {
    return decode_nvfp4(codes >> 4 * nibble & 15u, scale, op.global);
  };
  store_four(op.values, op.type, i, make_float4(value(0), value(1), value(2), value(3)));
}

void require(bool holds, const char* sentence) {
  if (!holds) throw std::invalid_argument(sentence);
}

}  // namespace

void run(const EncodeFp8& op, Stream stream) {
  require(op.count % 4 == 0, "EncodeFp8: count is no multiple of 4");
  if (op.count > 0)
    simt::launch({blocks_for(op.count / 4, kThreads), kThreads, 0, stream},
                 op.format == Fp8Format::e4m3 ? encode_fp8_kernel<E4m3> : encode_fp8_kernel<E5m2>,
                 op);
}
void run(const DecodeFp8& op, Stream stream) {
  require(op.count % 4 == 0, "DecodeFp8: count is no multiple of 4");
  if (op.count > 0)
    simt::launch({blocks_for(op.count / 4, kThreads), kThreads, 0, stream},
                 op.format == Fp8Format::e4m3 ? decode_fp8_kernel<E4m3> : decode_fp8_kernel<E5m2>,
                 op);
}
void run(const EncodeIntegers& op, Stream stream) {
  require(op.row_elements % 4 == 0, "EncodeIntegers: row_elements is no multiple of 4");
  require(op.bits == 8 || op.bits == 4, "EncodeIntegers: integers have 8 or 4 bits");
  if (op.rows > 0)
    simt::launch({blocks_for(op.rows, kWarps), kThreads, 0, stream},
                 op.bits == 8 ? encode_integers_kernel<8> : encode_integers_kernel<4>, op);
}
void run(const DecodeIntegers& op, Stream stream) {
  require(op.row_elements % 4 == 0, "DecodeIntegers: row_elements is no multiple of 4");
  require(op.bits == 8 || op.bits == 4, "DecodeIntegers: integers have 8 or 4 bits");
  if (op.rows > 0)
    simt::launch({blocks_for(op.rows * (op.row_elements / 4), kThreads), kThreads, 0, stream},
                 op.bits == 8 ? decode_integers_kernel<8> : decode_integers_kernel<4>, op);
}
void run(const EncodeNvfp4& op, Stream stream) {
  if (op.groups > 0)
    simt::launch({blocks_for(op.groups * 4, kThreads), kThreads, 0, stream}, encode_nvfp4_kernel,
                 op);
}
void run(const DecodeNvfp4& op, Stream stream) {
  if (op.groups > 0)
    simt::launch({blocks_for(op.groups * 4, kThreads), kThreads, 0, stream}, decode_nvfp4_kernel,
                 op);
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
