// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/registry/parameter.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// How one cached value is stored. `int8` and `fp8` have static scales that cost nothing per token;
/// `int8_per_token_head` adds an fp32 scale to each vector of a token and head. The KIVI formats
/// count the quantised part only, not the fp16 residual of the newest tokens (Liu et al., "KIVI",
/// ICML'24, §4).
enum class KvDtype {
  bf16,
  fp16,
  fp32,
  fp8,
  int8,
  int8_per_token_head,
  nvfp4,
  kivi4_g32,
  kivi2_g32,
  kivi2_g128
};

template <>
struct EnumNames<KvDtype> {
  static constexpr EnumName<KvDtype> table[] = {
      {KvDtype::bf16, "bf16"},           {KvDtype::fp16, "fp16"},
      {KvDtype::fp32, "fp32"},           {KvDtype::fp8, "fp8"},
      {KvDtype::int8, "int8"},           {KvDtype::int8_per_token_head, "int8_per_token_head"},
      {KvDtype::nvfp4, "nvfp4"},         {KvDtype::kivi4_g32, "kivi4_g32"},
      {KvDtype::kivi2_g32, "kivi2_g32"}, {KvDtype::kivi2_g128, "kivi2_g128"}};
};

/// Bytes of `group` values that share their metadata, and bytes that a whole vector adds. Integers,
/// so that no size is ever a rounded fraction.
struct KvDtypeSize {
  std::uint32_t group;
  std::uint32_t bytes_per_group;
  std::uint32_t bytes_per_vector;
};

constexpr KvDtypeSize kv_dtype_size(KvDtype dtype) {
  switch (dtype) {
    case KvDtype::bf16:
    case KvDtype::fp16:
      return {1, 2, 0};
    case KvDtype::fp32:
      return {1, 4, 0};
    case KvDtype::fp8:
    case KvDtype::int8:
      return {1, 1, 0};
    case KvDtype::int8_per_token_head:
      return {1, 1, 4};
    case KvDtype::nvfp4:
      return {16, 16 / 2 + 1, 0};  // 4-bit codes and one E4M3 scale
    case KvDtype::kivi4_g32:
      return {32, 32 / 2 + 4, 0};  // 4-bit codes, fp16 zero point and scale
    case KvDtype::kivi2_g32:
      return {32, 32 / 4 + 4, 0};
    case KvDtype::kivi2_g128:
      return {128, 128 / 4 + 4, 0};
  }
  return {1, 0, 0};
}

/// Consecutive tokens whose keys share a scale and a zero point, so that one of them can neither go
/// nor move alone; 1: none do (spec policies §3.24: KIVI quantises keys by channel, values by
/// token).
constexpr std::uint32_t key_group_tokens(KvDtype dtype) {
  switch (dtype) {
    case KvDtype::kivi4_g32:
    case KvDtype::kivi2_g32:
      return 32;
    case KvDtype::kivi2_g128:
      return 128;
    default:
      return 1;
  }
}

/// Bytes of one vector of `values` numbers; `values` is a multiple of the dtype's group.
constexpr Bytes vector_bytes(KvDtype dtype, std::uint32_t values) {
  const KvDtypeSize size = kv_dtype_size(dtype);
  VACANCY_ASSERT(values % size.group == 0, "a vector is a whole number of groups");
  return Bytes(std::uint64_t{values / size.group} * size.bytes_per_group + size.bytes_per_vector);
}

}  // namespace vacancy
