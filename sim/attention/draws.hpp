// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/units/philox.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What a draw of a made-up process is for. Stands above the set (layer·heads + head) in the
/// counter's second word, so that no two purposes share a counter.
enum class DrawPurpose : std::uint32_t {
  weight,
  query,
  key,
  value,
  head_direction,
  heavy_token,
  heavy_window,
  burst,
  common_stream,
};

/// The random numbers of one sequence under Stream::attention: Philox with counter
/// (sequence, purpose·2^24 + set, round, token).
class AttentionDraws {
 public:
  AttentionDraws(std::uint64_t seed, SequenceId sequence)
      : key_(philox_key(seed, Stream::attention)), sequence_(sequence.value()) {}

  /// Four words of 32 random bits. `set` is below 2^24.
  PhiloxCounter operator()(DrawPurpose purpose, std::uint32_t set, std::uint32_t round,
                           std::uint32_t token) const {
    return philox4x32_10({sequence_, static_cast<std::uint32_t>(purpose) << 24 | set, round, token},
                         key_);
  }

  /// Independent standard normal numbers for the vector of one (set, token): Box–Muller on words
  /// (0, 1) and (2, 3) of the draws of rounds 0, 1, …, each pair giving two neighbours of `out`.
  void normals(DrawPurpose purpose, std::uint32_t set, std::uint32_t token,
               std::span<float> out) const;

 private:
  PhiloxKey key_;
  std::uint32_t sequence_;
};

/// Uniform in (0, 1]: safe under a logarithm.
constexpr double unit_interval_above_zero(std::uint32_t bits) {
  return (bits + 1.0) * 0x1.0p-32;
}

/// Exponential with this mean.
double exponential(std::uint32_t bits, double mean);

/// Geometric on 1, 2, … with this mean, at least 1.
std::uint32_t geometric(std::uint32_t bits, double mean);

}  // namespace vacancy
