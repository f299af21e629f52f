// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/attention/draws.hpp"
#include "sim/attention/synthetic_source.hpp"

namespace vacancy {

/// Heavy hitters of one stream of one sequence (see SyntheticSource).
class HeavyProcess {
 public:
  explicit HeavyProcess(std::uint32_t stream) : stream_(stream) {}

  /// Decides about tokens up to `length`.
  void advance(std::uint32_t length, const SyntheticSourceOptions& options,
               const AttentionDraws& draws);
  /// Adds `share` to the row of query row.size() - 1; returns what found no token.
  double attend(double share, std::span<float> row, const SyntheticSourceOptions& options,
                const AttentionDraws& draws) const;

 private:
  struct Token {
    std::uint32_t position;
    double weight;
    double last_query;
  };
  std::uint32_t stream_;
  std::uint32_t next_ = 4;  // the sinks are no heavy hitters
  bool in_run_ = false;
  std::vector<Token> tokens_;
};

/// Bursts of one stream of one sequence (see SyntheticSource).
class BurstProcess {
 public:
  explicit BurstProcess(std::uint32_t stream) : stream_(stream) {}

  /// Decides about queries up to `length`.
  void advance(std::uint32_t length, const SyntheticSourceOptions& options,
               const AttentionDraws& draws);
  /// Adds `share` to the row of query row.size() - 1; returns what found no token.
  double attend(double share, std::span<float> row) const;

 private:
  struct Burst {
    std::uint32_t first_token, end_token;
    std::uint32_t first_query, end_query;
  };
  std::uint32_t stream_;
  std::uint32_t next_ = 1;  // query 0 has no past
  std::vector<Burst> bursts_;
};

}  // namespace vacancy
