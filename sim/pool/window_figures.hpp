// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/pool/reuse_counters.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What the pool of the layers of one window size came to, where each has its own (TensorRT-LLM,
/// spec engines T2, T14).
struct WindowFigures {
  std::optional<std::uint32_t> window;        // tokens; nothing: full attention
  std::uint32_t blocks = 0, host_blocks = 0;  // on the device, and room for as many on the host
  Bytes token_bytes, block_bytes;             // of these layers together
  std::uint64_t peak_held_blocks = 0;
  reuse_tree::Counters counts;

  /// What went over the link to the host, and came back.
  Bytes offloaded() const { return block_bytes * counts.offloaded; }
  Bytes onboarded() const {
    return block_bytes * counts.onboarded + token_bytes * counts.copied_tokens_secondary;
  }
};

}  // namespace vacancy
