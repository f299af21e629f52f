// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/units/simd.hpp"

namespace vacancy {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
/// SC'11, §3.3. A function of (counter, key) alone, so draws do not depend on the order in which
/// they are made, and a GPU draws the same bits.
constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;
  constexpr std::uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;
  auto [c0, c1, c2, c3] = counter;
  auto [k0, k1] = key;
  for (int round = 0; round < 10; ++round, k0 += w0, k1 += w1) {
    const std::uint64_t p0 = m0 * c0, p1 = m1 * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
  }
  return {c0, c1, c2, c3};
}

/// Independent uses of one seed. The value is xored into the high half of the key, so that
/// `eviction` is the plain key = seed of the contract.
enum class Stream : std::uint32_t {
  eviction = 0,
  workload = 0x776F726B,   // lengths and arrivals
  sampling = 0x73616D70,   // next-token sampling
  attention = 0x6174746E,  // synthetic and calibrated processes
  beams = 0x6265616D,      // parents of candidates
  sweep = 0x73776570,      // values of a random sweep
};

constexpr PhiloxKey philox_key(std::uint64_t seed, Stream stream = Stream::eviction) {
  return {static_cast<std::uint32_t>(seed),
          static_cast<std::uint32_t>(seed >> 32) ^ static_cast<std::uint32_t>(stream)};
}

/// Uniform in [0, 1) with 32 bits, exact in double.
constexpr double unit_interval(std::uint32_t bits) {
  return bits * 0x1.0p-32;
}

/// out[i] = word 0 of philox(counter = (sequence, set, round, tokens[i])): the draws of one set in
/// one round (spec: counter = (sequence, layer·H + head, round, token)).
void philox_draws(PhiloxKey key, std::uint32_t sequence, std::uint32_t set, std::uint32_t round,
                  std::span<const std::uint32_t> tokens, std::span<std::uint32_t> out,
                  Simd simd = widest_simd());

}  // namespace vacancy
