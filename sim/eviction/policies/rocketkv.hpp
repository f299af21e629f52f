// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy {

/// RocketKV's arithmetic: how a token budget is split between its two stages (spec policies §3.9).
struct RocketShares {
  std::uint32_t capacity = 0;  // tokens that the first stage leaves, with those to come
  // The second stage reads a part of them a step and evicts nothing.
  std::uint32_t chunk = 0;     // tokens that share their largest and smallest keys
  std::uint32_t channels = 0;  // of the head dimension, by which chunks are ranked
  std::uint32_t attended = 0;  // tokens that a step attends to
};

RocketShares rocket_shares(std::uint32_t max_length, std::uint32_t budget, std::uint32_t head_dim);

}  // namespace vacancy
