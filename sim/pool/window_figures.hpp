// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/units/units.hpp"

namespace vacancy {

/// What the pool of the layers of one window size came to, where each has its own (TensorRT-LLM,
/// spec engines T2).
struct WindowFigures {
  std::optional<std::uint32_t> window;  // tokens; nothing: full attention
  std::uint32_t blocks = 0;
  Bytes block_bytes;  // of these layers together
  std::uint64_t peak_held_blocks = 0;
};

}  // namespace vacancy
