// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units/philox.hpp"

namespace vacancy {

/// What a draw of a synthetic workload is for: the last word of its counter. The numbers below 16
/// belong to LengthPurpose.
enum class DrawPurpose : std::uint32_t {
  arrival = 16,
  prompt,
  output,
  turns,
  pause,
  group,
  document,
  document_length,
};

/// The draws of one seed: Philox, stream `workload`, counter (entity, index, attempt, purpose). An
/// entity is a request, conversation or document; a draw depends on nothing else, so that a
/// conversation stays the same when others join.
class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : key_(philox_key(seed, Stream::workload)) {}

  /// Uniform in (0, 1).
  double uniform(std::uint32_t entity, std::uint32_t index, DrawPurpose purpose,
                 std::uint32_t attempt = 0) const;
  /// Lognormal, rounded, from 1 to `maximum`.
  std::uint32_t tokens(double median, double sigma, std::uint32_t maximum, std::uint32_t entity,
                       std::uint32_t index, DrawPurpose purpose) const;
  /// Mean 1: exponential.
  double exponential(std::uint32_t entity, std::uint32_t index, DrawPurpose purpose) const;
  /// Mean 1, deviation cv: gamma of shape 1 / cv², or 1 exactly for cv = 0. By Marsaglia and Tsang
  /// (ACM Trans. Math. Softw. 26, 2000); each attempt has its own counter.
  double gamma(double cv, std::uint32_t entity, std::uint32_t index, DrawPurpose purpose) const;
  /// At least 1, mean `mean`, without memory.
  std::uint32_t geometric(double mean, std::uint32_t entity, std::uint32_t index,
                          DrawPurpose purpose) const;

 private:
  PhiloxCounter words(std::uint32_t entity, std::uint32_t index, DrawPurpose purpose,
                      std::uint32_t attempt) const;

  PhiloxKey key_;
};

/// Ranks 0 to n - 1 with weights 1 / (rank + 1)^exponent.
class Zipf {
 public:
  Zipf(std::uint32_t n, double exponent);

  std::uint32_t rank(double uniform) const;

 private:
  std::vector<double> cumulative_;
};

}  // namespace vacancy
