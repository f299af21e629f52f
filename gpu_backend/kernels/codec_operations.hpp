// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers into the formats of a cache and back. All pointers are into device memory,
// aligned to 16 bytes. docs/gpu.md has the rules of rounding; kernels/codecs/ has them as code.
#pragma once

#include <cstdint>

namespace vacancy::gpu {

enum class ValueType { bf16, f32, f16, e4m3 };
enum class Fp8Format { e4m3, e5m2 };

/// code = E4M3(value / scale), or E5M2, saturating. count: a multiple of 4.
struct EncodeFp8 {
  const void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::uint8_t* codes = nullptr;
  std::int64_t count = 0;
  float scale = 1;
  Fp8Format format = Fp8Format::e4m3;
};
struct DecodeFp8 {
  const std::uint8_t* codes = nullptr;
  void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::int64_t count = 0;
  float scale = 1;
  Fp8Format format = Fp8Format::e4m3;
};

/// Symmetric integers of 8 or 4 bits, of these two in a byte, the even value in the low half. Rows
/// of row_elements (a multiple of 4), each with a scale of its own: max|x| / 127, or / 7.
struct EncodeIntegers {
  const void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::uint8_t* codes = nullptr;
  float* scales = nullptr;  // [rows]
  std::int64_t rows = 0;
  int row_elements = 0;
  int bits = 8;
};
struct DecodeIntegers {
  const std::uint8_t* codes = nullptr;
  const float* scales = nullptr;
  void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::int64_t rows = 0;
  int row_elements = 0;
  int bits = 8;
};

/// NVFP4: groups of 16 values to 8 bytes of codes, the even value in the low nibble, and a byte of
/// scale. `global`: the tensor's factor, 1 unless calibrated.
struct EncodeNvfp4 {
  const void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
  std::int64_t groups = 0;
  float global = 1;
};
struct DecodeNvfp4 {
  const std::uint8_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::int64_t groups = 0;
  float global = 1;
};

/// KIVI: element i of line l lies at values[l * line_stride + i * step]. Keys: a line is a channel
/// and runs along the tokens; values: a line is a token and runs along the channels. `group`
/// consecutive elements of a line share a zero and a step; 32 / bits codes go into a word, the
/// first lowest. bits: 2, 4 or 8; group: a multiple of 32 / bits; line_elements: a multiple of
/// group.
struct EncodeKivi {
  const void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::int64_t line_stride = 0, step = 1;
  int lines = 0, line_elements = 0, group = 32, bits = 4;
  std::uint32_t* codes = nullptr;  // [lines][line_elements * bits / 32]
  std::uint16_t* zeros = nullptr;  // FP16, [lines][line_elements / group]
  std::uint16_t* steps = nullptr;  // as zeros
};
struct DecodeKivi {
  const std::uint32_t* codes = nullptr;
  const std::uint16_t* zeros = nullptr;
  const std::uint16_t* steps = nullptr;
  int lines = 0, line_elements = 0, group = 32, bits = 4;
  void* values = nullptr;
  ValueType type = ValueType::bf16;
  std::int64_t line_stride = 0, step = 1;
};

}  // namespace vacancy::gpu
