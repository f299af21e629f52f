// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/units/philox.hpp"
#include "tests/support/temporary_file.hpp"

namespace vacancy::test {

/// Bytes of a TRIA file (version 1) of made statistics: |mean| at most 0.8 of the mean modulus.
inline std::vector<char> made_calibration(std::uint32_t layers, std::uint32_t query_heads,
                                          std::uint32_t kv_heads, std::uint32_t head_dim) {
  const std::uint32_t bands = head_dim / 2;
  std::vector<char> bytes;
  const auto put = [&](auto value) {
    const char* raw = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
  };
  for (const std::uint32_t word : {0x54524941u, 1u, layers, query_heads, kv_heads, head_dim, bands})
    put(word);
  put(10000.0f);
  put(1.0f);
  bytes.resize(64, 0);
  for (std::uint32_t head = 0; head < layers * query_heads; ++head) {
    const auto draw = [&](std::uint32_t f, std::uint32_t word) {
      return static_cast<float>(unit_interval(philox4x32_10({head, f, 0, 0}, {3, 4})[word]));
    };
    const auto modulus = [&](std::uint32_t f) { return 0.5f + draw(f, 0); };
    const auto angle = [&](std::uint32_t f) { return 6.2831853f * draw(f, 1); };
    const auto mean = [&](std::uint32_t f) { return 0.8f * draw(f, 2) * modulus(f); };
    for (std::uint32_t f = 0; f < bands; ++f)
      put(mean(f) * std::cos(angle(f)));
    for (std::uint32_t f = 0; f < bands; ++f)
      put(mean(f) * std::sin(angle(f)));
    for (std::uint32_t f = 0; f < bands; ++f)
      put(modulus(f));
    for (std::uint32_t f = 0; f < bands; ++f)
      put(mean(f) / modulus(f));
  }
  return bytes;
}

}  // namespace vacancy::test
