// SPDX-License-Identifier: Apache-2.0
// Our codecs against those of NVIDIA's headers, which run on the host too.
#include <catch2/catch.hpp>
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
