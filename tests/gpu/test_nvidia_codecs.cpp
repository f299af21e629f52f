// SPDX-License-Identifier: Apache-2.0
// Our codecs against those of NVIDIA's headers, which run on the host too.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
// The toolkit's headers, as a system's.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include "gpu_backend/kernels/codecs/nvfp4.hpp"

namespace vacancy::test {
namespace {

unsigned differences(float x) {
  unsigned wrong = 0;
  wrong += gpu::encode_e4m3(x) != __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  wrong += gpu::encode_fp8(x, gpu::E5m2{}) != __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
  wrong += gpu::encode_e2m1(x) != __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  return wrong;
}

TEST_CASE("every half and bfloat16 and 2^24 floats: NVIDIA's FP8 and FP4") {
  std::uint64_t wrong = 0;
  for (std::uint32_t code = 0; code < 1u << 16; ++code) {
    wrong += differences(gpu::decode_bf16(static_cast<std::uint16_t>(code)));
    wrong += differences(gpu::decode_half(static_cast<std::uint16_t>(code)));
  }
  std::uint32_t bits = 1;
  for (std::uint32_t i = 0; i < 1u << 24; ++i) {
    bits = bits * 1664525 + 1013904223;  // every value of 32 bits once in its period
    wrong += differences(gpu::float_of(bits));
  }
  CHECK(wrong == 0);
}

TEST_CASE("NVIDIA's FP16 and BF16") {
  std::uint64_t wrong = 0;
  std::uint32_t bits = 7;
  for (std::uint32_t i = 0; i < 1u << 22; ++i) {
    bits = bits * 1664525 + 1013904223;
    const float x = gpu::float_of(bits);
    wrong += gpu::encode_half(x) != __half_raw(__float2half_rn(x)).x;
    wrong += gpu::encode_bf16(x) != __nv_bfloat16_raw(__float2bfloat16_rn(x)).x;
  }
  CHECK(wrong == 0);
}

/// The same number, or both none.
bool same(float a, __half_raw b) {
  const float other = gpu::decode_half(b.x);
  return gpu::is_nan(a) ? gpu::is_nan(other) : gpu::bits_of(a) == gpu::bits_of(other);
}

TEST_CASE("every code: NVIDIA's FP8, FP4, FP16 and BF16") {
  for (unsigned code = 0; code < 256; ++code) {
    const auto c = static_cast<std::uint8_t>(code);
    CHECK(same(gpu::decode_fp8(c, gpu::E4m3{}), __nv_cvt_fp8_to_halfraw(c, __NV_E4M3)));
    CHECK(same(gpu::decode_fp8(c, gpu::E5m2{}), __nv_cvt_fp8_to_halfraw(c, __NV_E5M2)));
    const gpu::Two two = gpu::decode_two(static_cast<std::uint16_t>(code << 8 | 0x38), gpu::E4m3{});
    CHECK(two.low == 1.0f);
    CHECK(same(two.high, __nv_cvt_fp8_to_halfraw(c, __NV_E4M3)));
  }
  for (unsigned code = 0; code < 16; ++code)
    CHECK(same(gpu::decode_e2m1(code),
               __nv_cvt_fp4_to_halfraw(static_cast<std::uint8_t>(code), __NV_E2M1)));
  std::uint64_t wrong = 0;
  for (std::uint32_t code = 0; code < 1u << 16; ++code) {
    __half_raw half;
    half.x = static_cast<std::uint16_t>(code);
    __nv_bfloat16_raw narrow;
    narrow.x = half.x;
    const float of_half = gpu::decode_half(half.x), of_narrow = gpu::decode_bf16(half.x);
    const float their_half = __half2float(half), their_narrow = __bfloat162float(narrow);
    wrong += !(of_half == their_half || (gpu::is_nan(of_half) && gpu::is_nan(their_half)));
    wrong += gpu::bits_of(of_narrow) != gpu::bits_of(their_narrow);
    wrong += gpu::encode_e4m3(of_half) != __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, __NV_E4M3);
    wrong += gpu::encode_fp8(of_half, gpu::E5m2{}) !=
             __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, __NV_E5M2);
    wrong +=
        gpu::encode_e2m1(of_half) != __nv_cvt_halfraw_to_fp4(half, __NV_E2M1, cudaRoundNearest);
  }
  CHECK(wrong == 0);
}

/// NVFP4 of 16 halves that follow each other, put together from NVIDIA's conversions.
TEST_CASE("every half in a group: NVFP4 by NVIDIA's conversions") {
  std::uint64_t wrong = 0;
  for (std::uint32_t first = 0; first < 1u << 16; first += gpu::nvfp4_group) {
    float values[gpu::nvfp4_group], largest = 0;
    for (std::uint32_t i = 0; i < gpu::nvfp4_group; ++i) {
      __half_raw half;
      half.x = static_cast<std::uint16_t>(first + i);
      values[i] = __half2float(half);
      largest = std::fmax(largest, std::fabs(values[i]));
    }
    const std::uint8_t scale =
        __nv_cvt_float_to_fp8(largest * (1.0f / 6.0f), __NV_SATFINITE, __NV_E4M3);
    const float of_scale = gpu::decode_half(__nv_cvt_fp8_to_halfraw(scale, __NV_E4M3).x);
    const float by = scale == 0 ? 0.0f : 1.0f / of_scale;
    wrong += gpu::nvfp4_scale(largest, 1.0f) != scale;
    wrong += gpu::nvfp4_multiplier(scale, 1.0f) != by;
    for (int i = 0; i < gpu::nvfp4_group; i += 2) {
      const float low = values[i] * by, high = values[i + 1] * by;
      wrong += (gpu::encode_e2m1(low) | gpu::encode_e2m1(high) << 4) !=
               __nv_cvt_float2_to_fp4x2({low, high}, __NV_E2M1, cudaRoundNearest);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("all floats: NVIDIA's FP8 and FP4", "[.all]") {
  std::uint64_t wrong = 0;
  std::uint32_t bits = 0;
  do
    wrong += differences(gpu::float_of(bits));
  while (++bits != 0);
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace vacancy::test
