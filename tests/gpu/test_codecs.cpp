// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gpu_backend/kernels/codecs/integer_groups.hpp"
#include "gpu_backend/kernels/codecs/nvfp4.hpp"
#include "gpu_backend/launch/buffer.hpp"
#include "gpu_backend/reference/number_formats.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"

namespace vacancy::test {
namespace {

namespace reference = gpu::reference;

const float nan = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST_CASE("codes mean what the formats' definitions say") {
  for (unsigned code = 0; code < 256; ++code)
    CHECK(same(double{gpu::decode_e4m3(static_cast<std::uint8_t>(code))},
               reference::e4m3_value(static_cast<std::uint8_t>(code))));
  for (unsigned code = 0; code < 256; ++code)
    CHECK(same(double{gpu::decode_fp8(static_cast<std::uint8_t>(code), gpu::E5m2{})},
               reference::e5m2_value(static_cast<std::uint8_t>(code))));
  for (unsigned code = 0; code < 16; ++code)
    CHECK(same(double{gpu::decode_e2m1(code)},
               reference::e2m1_value(static_cast<std::uint8_t>(code))));
  unsigned wrong = 0;
  for (unsigned code = 0; code < 1u << 16; ++code) {
    const auto c = static_cast<std::uint16_t>(code);
    wrong += !same(double{gpu::decode_bf16(c)}, reference::bf16_value(c));
    wrong += !same(double{gpu::decode_half(c)}, reference::half_value(c));
    if (!std::isnan(reference::half_value(c))) wrong += gpu::encode_half(gpu::decode_half(c)) != c;
    if (!std::isnan(reference::bf16_value(c))) wrong += gpu::encode_bf16(gpu::decode_bf16(c)) != c;
  }
  CHECK(wrong == 0);
}

/// Each code of a number, decoded, against rounding in double.
unsigned wrong_codes(float x) {
  const double value{x};
  unsigned wrong = 0;
  if (std::isnan(x)) {
    wrong += gpu::encode_e4m3(x) != 0x7F;
    wrong += gpu::encode_fp8(x, gpu::E5m2{}) != 0x7F;
    wrong += gpu::encode_e2m1(x) != 7;
    wrong += gpu::encode_half(x) != 0x7FFF;
    wrong += gpu::encode_bf16(x) != 0x7FFF;
    return wrong;
  }
  wrong += !same(double{gpu::decode_e4m3(gpu::encode_e4m3(x))},
                 reference::rounded(value, reference::e4m3_format));
  wrong += !same(double{gpu::decode_fp8(gpu::encode_fp8(x, gpu::E5m2{}), gpu::E5m2{})},
                 reference::rounded(value, reference::e5m2_format));
  wrong += !same(double{gpu::decode_e2m1(gpu::encode_e2m1(x))},
                 reference::rounded(value, reference::e2m1_format));
  if (std::abs(x) < 65520)
    wrong += !same(reference::half_value(gpu::encode_half(x)),
                   reference::rounded(value, reference::half_format));
  else
    wrong += (gpu::encode_half(x) & 0x7FFF) != 0x7C00;
  if (std::abs(x) < 0x1.FFp127f)
    wrong += !same(reference::bf16_value(gpu::encode_bf16(x)),
                   reference::rounded(value, reference::bf16_format));
  return wrong;
}

TEST_CASE("every half and bfloat16, and numbers between and beside them, round to nearest even") {
  unsigned wrong = 0;
  for (unsigned code = 0; code < 1u << 16; ++code) {
    const auto c = static_cast<std::uint16_t>(code);
    for (const float x : {gpu::decode_half(c), gpu::decode_bf16(c)}) {
      wrong += wrong_codes(x);
      wrong += wrong_codes(std::nextafter(x, infinity));
      wrong += wrong_codes(std::nextafter(x, -infinity));
    }
    // Ties of bfloat16, and what lies beside them.
    for (const std::uint32_t below : {0x7FFFu, 0x8000u, 0x8001u})
      wrong += wrong_codes(gpu::float_of(code << 16 | below));
  }
  CHECK(wrong == 0);
}

TEST_CASE("E2M1's ties go to the even code") {
  const float midpoints[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
  const float results[] = {0, 1, 1, 2, 2, 4, 4};
  for (int i = 0; i < 7; ++i) {
    CHECK(gpu::decode_e2m1(gpu::encode_e2m1(midpoints[i])) == results[i]);
    CHECK(gpu::decode_e2m1(gpu::encode_e2m1(-midpoints[i])) == -results[i]);
  }
  CHECK(gpu::encode_e2m1(-0.0f) == 8);
  CHECK(gpu::encode_e4m3(464.0f) == 0x7E);
  CHECK(gpu::encode_e4m3(1e30f) == 0x7E);
  CHECK(gpu::encode_e4m3(-infinity) == 0xFE);
  CHECK(gpu::encode_fp8(61440.0f, gpu::E5m2{}) == 0x7B);
  CHECK(gpu::encode_fp8(-infinity, gpu::E5m2{}) == 0xFB);
}

/// Rows of numbers of many sizes, with zeros, constants, infinities and NaNs among them.
std::vector<float> mixed(std::size_t rows, std::size_t width) {
  std::vector<float> values(rows * width);
  std::uint32_t state = 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const float size = std::ldexp(1.0f, static_cast<int>(row % 40) - 20);
    for (std::size_t i = 0; i < width; ++i) {
      state = state * 1664525 + 1013904223;
      const float x = (static_cast<float>(state >> 8) * 0x1p-23f - 1.0f) * size;
      values[row * width + i] = row % 11 == 3 ? size : row % 13 == 5 ? 0.0f : x;
    }
    if (row % 17 == 1) values[row * width + row % width] = nan;
    if (row % 19 == 2) values[row * width + row % width] = -infinity;
  }
  std::fill_n(values.begin(), width, nan);
  return values;
}
constexpr gpu::ValueType value_types[] = {gpu::ValueType::bf16, gpu::ValueType::f32,
                                          gpu::ValueType::f16, gpu::ValueType::e4m3};

std::size_t size_of(gpu::ValueType type) {
  return type == gpu::ValueType::f32 ? 4 : type == gpu::ValueType::e4m3 ? 1 : 2;
}
std::vector<std::uint8_t> bytes_of(gpu::ValueType type, const std::vector<float>& values) {
  const std::size_t size = size_of(type);
  std::vector<std::uint8_t> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t code = gpu::bits_of(values[i]);
    if (type == gpu::ValueType::bf16) code = gpu::encode_bf16(values[i]);
    if (type == gpu::ValueType::f16) code = gpu::encode_half(values[i]);
    if (type == gpu::ValueType::e4m3) code = gpu::encode_e4m3(values[i]);
    std::memcpy(&bytes[i * size], &code, size);  // the lowest bytes come first
  }
  return bytes;
}
/// One of the values, as stored, in double.
double value_at(gpu::ValueType type, const std::vector<std::uint8_t>& bytes, std::size_t i) {
  std::uint32_t code = 0;
  std::memcpy(&code, &bytes[i * size_of(type)], size_of(type));
  switch (type) {
    case gpu::ValueType::bf16:
      return reference::bf16_value(static_cast<std::uint16_t>(code));
    case gpu::ValueType::f16:
      return reference::half_value(static_cast<std::uint16_t>(code));
    case gpu::ValueType::e4m3:
      return reference::e4m3_value(static_cast<std::uint8_t>(code));
    case gpu::ValueType::f32:
      break;
  }
  return double{gpu::float_of(code)};
}
/// As the kernels see them.
std::vector<float> as(gpu::ValueType type, std::vector<float> values) {
  const auto bytes = bytes_of(type, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(value_at(type, bytes, i));
  return values;
}
double stored(gpu::ValueType type, double x) {
  if (std::isnan(x)) return x;
  if (type == gpu::ValueType::e4m3) return reference::rounded(x, reference::e4m3_format);
  if (type == gpu::ValueType::f32 || !std::isfinite(x)) return x;
  // BF16 and FP16 have infinities: nearest to all from the middle behind the largest number on.
  const bool half = type == gpu::ValueType::f16;
  if (std::abs(x) >= (half ? 65520 : 0x1.FFp127)) return std::copysign(HUGE_VAL, x);
  return reference::rounded(x, half ? reference::half_format : reference::bf16_format);
}

const std::size_t row_count = simt::host::finds_races ? 30 : 400;
constexpr std::size_t width = 64;

void check_fp8(gpu::Device& device, gpu::Fp8Format coded, const reference::NumberFormat& format,
               double (*value_of)(std::uint8_t)) {
  for (const auto type : value_types) {
    const auto values = as(type, mixed(row_count, width));
    const gpu::Buffer<std::uint8_t> in(device, bytes_of(type, values)),
        codes(device, values.size());
    const auto count = static_cast<std::int64_t>(values.size());
    const float scale = 0.37f;
    device.run(gpu::EncodeFp8{in.data(), type, codes.data(), count, scale, coded});
    const auto got = codes.download();
    device.run(gpu::DecodeFp8{codes.data(), in.data(), type, count, scale, coded});
    const auto back = in.download();
    unsigned wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float quotient = values[i] / scale;
      const double wanted =
          std::isnan(quotient) ? double{nan} : reference::rounded(double{quotient}, format);
      wrong += !same(value_of(got[i]), wanted);
      wrong +=
          !same(value_at(type, back, i), stored(type, double{static_cast<float>(wanted) * scale}));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("FP8 of a tensor with a scale, byte for byte") {
  VACANCY_ON_DEVICE(device);
  check_fp8(device, gpu::Fp8Format::e4m3, reference::e4m3_format, reference::e4m3_value);
  check_fp8(device, gpu::Fp8Format::e5m2, reference::e5m2_format, reference::e5m2_value);
}

void check_integers(gpu::Device& device, int bits) {
  const float most = bits == 8 ? 127 : 7;
  for (const auto type : value_types) {
    const auto values = as(type, mixed(row_count, width));
    const gpu::Buffer<std::uint8_t> in(device, bytes_of(type, values));
    const gpu::Buffer<std::uint8_t> codes(device,
                                          values.size() * static_cast<std::size_t>(bits) / 8);
    const gpu::Buffer<float> scales(device, row_count);
    device.run(gpu::EncodeIntegers{in.data(), type, codes.data(), scales.data(),
                                   static_cast<std::int64_t>(row_count), int{width}, bits});
    const auto got = codes.download();
    const auto scale = scales.download();
    device.run(gpu::DecodeIntegers{codes.data(), scales.data(), in.data(), type,
                                   static_cast<std::int64_t>(row_count), int{width}, bits});
    const auto back = in.download();
    unsigned wrong = 0;
    for (std::size_t row = 0; row < row_count; ++row) {
      float largest = 0;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        if (!std::isnan(values[i])) largest = std::max(largest, std::abs(values[i]));
      largest = std::min(largest, std::numeric_limits<float>::max());
      wrong += scale[row] != largest / most;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        double code = 0;
        if (scale[row] > 0 && !std::isnan(values[i]))
          code = std::nearbyint(
              std::clamp(double{values[i] / scale[row]}, -double{most}, double{most}));
        // Two's complement; of four bits the even value lies in the low half.
        const int byte = got[i * static_cast<std::size_t>(bits) / 8];
        const int shifted = bits == 8 ? byte : i % 2 == 0 ? byte & 15 : byte >> 4;
        const int sign = 1 << (bits - 1);
        wrong += (shifted ^ sign) - sign != static_cast<int>(code);
        wrong +=
            value_at(type, back, i) != stored(type, double{static_cast<float>(code) * scale[row]});
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("INT8 and INT4 of rows with their scales, byte for byte") {
  VACANCY_ON_DEVICE(device);
  check_integers(device, 8);
  check_integers(device, 4);
  CHECK_THROWS_WITH(device.run(gpu::EncodeIntegers{.rows = 1, .row_elements = 4, .bits = 3}),
                    Catch::Matchers::Contains("8 or 4 bits"));
}

TEST_CASE("NVFP4 of groups, byte for byte") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const auto type : value_types)
    for (const float global : {1.0f, 37.5f}) {
      const WithSchedule with(in_turn(number++));
      const auto values = as(type, mixed(row_count, width));
      const std::size_t groups = values.size() / 16;
      const gpu::Buffer<std::uint8_t> in(device, bytes_of(type, values));
      const gpu::Buffer<std::uint8_t> codes(device, groups * 8), scales(device, groups);
      device.run(gpu::EncodeNvfp4{in.data(), type, codes.data(), scales.data(),
                                  static_cast<std::int64_t>(groups), global});
      const auto code = codes.download(), scale = scales.download();
      device.run(gpu::DecodeNvfp4{codes.data(), scales.data(), in.data(), type,
                                  static_cast<std::int64_t>(groups), global});
      const auto back = in.download();
      unsigned wrong = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        const auto wanted = reference::nvfp4(std::span(values).subspan(g * 16, 16), global);
        wrong += reference::e4m3_value(scale[g]) != wanted.scale;
        for (std::size_t i = 0; i < 16; ++i) {
          const auto nibble = static_cast<std::uint8_t>(code[g * 8 + i / 2] >> (i % 2 * 4) & 15);
          wrong += !same(reference::e2m1_value(nibble), wanted.elements[i]);
          wrong += !same(value_at(type, back, g * 16 + i), stored(type, wanted.decoded[i]));
        }
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("NVFP4 at its edges") {
  const auto scale_of = [](float largest) { return gpu::nvfp4_scale(largest, 1.0f); };
  CHECK(scale_of(0.005859375f) == 0x00);
  CHECK(scale_of(std::nextafter(0.005859375f, 1.0f)) == 0x01);
  CHECK(scale_of(0.5f) == 0x1B);
  CHECK(scale_of(6.0f) == 0x38);
  CHECK(scale_of(2688.0f) == 0x7E);
  CHECK(scale_of(1e6f) == 0x7E);
  CHECK(scale_of(0.0f) == 0x00);
  const auto decoded = [&](float x, float largest) {
    const auto scale = scale_of(largest);
    return gpu::decode_nvfp4(gpu::encode_e2m1(x * gpu::nvfp4_multiplier(scale, 1.0f)), scale, 1.0f);
  };
  CHECK(decoded(0.5f, 0.5f) == 0.515625f);
  CHECK(decoded(1e6f, 1e6f) == 2688.0f);
  CHECK(decoded(0.0059f, 0.0059f) == 3 * 0x1p-9f);
}

/// Groups of normal numbers, from such as underflow to such as saturate.
std::vector<float> normal_groups(std::size_t groups) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (std::size_t group = 0; group < groups; ++group) {
    const float size = std::ldexp(1.0f, static_cast<int>(group % 24) - 11);
    for (int i = 0; i < gpu::nvfp4_group; ++i)
      values.push_back(normal(random) * size);
  }
  return values;
}

TEST_CASE("NVFP4 of what was decoded before is stable from the second trip on") {
  VACANCY_ON_DEVICE(device);
  const std::size_t groups = simt::host::finds_races ? 96 : 24000;
  const auto count = static_cast<std::int64_t>(groups);
  for (const auto type : {gpu::ValueType::bf16, gpu::ValueType::f16}) {
    const gpu::Buffer<std::uint8_t> values(device, bytes_of(type, normal_groups(groups)));
    const gpu::Buffer<std::uint8_t> codes(device, groups * 8), scales(device, groups);
    std::vector<std::uint8_t> decoded[3], scale[3];
    for (int trip = 0; trip < 3; ++trip) {
      device.run(gpu::EncodeNvfp4{values.data(), type, codes.data(), scales.data(), count, 1.0f});
      device.run(gpu::DecodeNvfp4{codes.data(), scales.data(), values.data(), type, count, 1.0f});
      decoded[trip] = values.download();
      scale[trip] = scales.download();
    }
    CHECK(decoded[1] == decoded[2]);
    // Once more where the first scale was one of the two smallest.
    std::size_t changed = 0, wrong = 0;
    const std::size_t bytes = gpu::nvfp4_group * size_of(type);
    for (std::size_t group = 0; group < groups; ++group) {
      const auto at = static_cast<std::ptrdiff_t>(group * bytes);
      const bool same = std::equal(decoded[0].begin() + at,
                                   decoded[0].begin() + at + static_cast<std::ptrdiff_t>(bytes),
                                   decoded[1].begin() + at);
      changed += !same;
      wrong += !same && scale[0][group] != 1 && scale[0][group] != 2;
    }
    CHECK(changed > 0);
    CHECK(wrong == 0);
  }
}

TEST_CASE("KIVI's groups along tokens and along channels, byte for byte") {
  VACANCY_ON_DEVICE(device);
  constexpr int tokens = 64;
  constexpr int channels = 96;
  for (const auto type : value_types)
    for (const int bits : {2, 4, 8})
      for (const bool keys : {true, false}) {
        const auto values = as(type, mixed(tokens, channels));
        const int lines = keys ? channels : tokens, elements = keys ? tokens : channels;
        const std::int64_t line_stride = keys ? 1 : channels, step = keys ? channels : 1;
        constexpr int group = 32;
        const int groups = elements / group, words = elements * bits / 32;
        const gpu::Buffer<std::uint8_t> in(device, bytes_of(type, values));
        const gpu::Buffer<std::uint32_t> codes(device, static_cast<std::size_t>(lines * words));
        const gpu::Buffer<std::uint16_t> zeros(device, static_cast<std::size_t>(lines * groups));
        const gpu::Buffer<std::uint16_t> steps(device, zeros.size());
        device.run(gpu::EncodeKivi{in.data(), type, line_stride, step, lines, elements, group, bits,
                                   codes.data(), zeros.data(), steps.data()});
        const auto code = codes.download();
        const auto zero = zeros.download(), scale = steps.download();
        device.run(gpu::DecodeKivi{codes.data(), zeros.data(), steps.data(), lines, elements, group,
                                   bits, in.data(), type, line_stride, step});
        const auto back = in.download();
        unsigned wrong = 0;
        for (int line = 0; line < lines; ++line)
          for (int g = 0; g < groups; ++g) {
            std::vector<float> members;
            std::vector<std::size_t> places;
            for (int i = 0; i < group; ++i) {
              places.push_back(
                  static_cast<std::size_t>(line * line_stride + (g * group + i) * step));
              members.push_back(values[places.back()]);
            }
            const auto wanted = reference::kivi(members, bits);
            const auto at = static_cast<std::size_t>(line * groups + g);
            wrong += !same(reference::half_value(zero[at]), wanted.zero);
            wrong += reference::half_value(scale[at]) != wanted.step;
            for (int i = 0; i < group; ++i) {
              const int place = (g * group + i) * bits;
              const std::uint32_t word = code[static_cast<std::size_t>(line * words + place / 32)];
              const auto j = static_cast<std::size_t>(i);
              wrong += static_cast<int>(word >> place % 32 & ((1u << bits) - 1)) != wanted.codes[j];
              wrong +=
                  value_at(type, back, places[j]) !=
                  stored(type,
                         double{static_cast<float>(wanted.codes[j] * wanted.step + wanted.zero)});
            }
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("E-26: a constant group has step 0, codes 0 and decodes to its constant") {
  for (const float x : {0.0f, -3.5f, 0.25f, 1e-7f})
    for (const int bits : {2, 4, 8}) {
      const gpu::KiviGroup group = gpu::kivi_group(x, x, bits);
      CHECK(gpu::decode_half(group.step) == 0.0f);
      CHECK(gpu::encode_kivi(x, group, bits) == 0);
      CHECK(gpu::decode_kivi(0, group) == gpu::decode_half(gpu::encode_half(x)));
    }
  for (const int bits : {4, 8}) {
    CHECK(gpu::integer_scale(0.0f, bits) == 0.0f);
    CHECK(gpu::encode_integer(0.0f, 0.0f, bits) == 0);
  }
  CHECK(gpu::nvfp4_multiplier(gpu::nvfp4_scale(0.0f, 1.0f), 1.0f) == 0.0f);
}

}  // namespace
}  // namespace vacancy::test
