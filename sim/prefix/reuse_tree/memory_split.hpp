// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

/// All layers that attend to the same number of tokens.
struct WindowMemory {
  std::uint32_t window = 0;  // tokens
  Bytes bytes_per_token;     // of these layers together
};

/// How window sizes share memory.
enum class MemoryShare {
  window_bytes,  // in proportion to window × bytes a token (spec engines T2)
  equal,         // the same bytes each: what the engine does at this commit unless told otherwise
};

struct PoolBlocks {
  std::uint32_t primary = 0, secondary = 0;

  bool operator==(const PoolBlocks&) const = default;
};

/// How many blocks each window size gets, in order. A part block of device memory counts as a whole
/// one, one of host memory is dropped, as in the engine; shares are exact (the engine's are single
/// precision). Throws UserError if a window size gets no device block.
std::vector<PoolBlocks> split_memory(std::span<const WindowMemory> windows, Bytes primary,
                                     Bytes secondary, std::uint32_t block_size, MemoryShare share);

}  // namespace vacancy::reuse_tree
