// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/memory_split.hpp"

#include <string>

#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy::reuse_tree {

namespace {

__extension__ using Wide = unsigned __int128;

/// More than any pool has; keeps ids within 32 bits.
constexpr std::uint64_t most_blocks = 1u << 30;

std::uint32_t checked(Wide blocks, std::uint32_t window, const char* pool) {
  if (blocks <= most_blocks) return static_cast<std::uint32_t>(blocks);
  throw UserError("window " + std::to_string(window) + ": its share of " + pool +
                  " memory is more than " + format_count(most_blocks) +
                  " blocks; give less memory or larger blocks.");
}

}  // namespace

std::vector<PoolBlocks> split_memory(std::span<const WindowMemory> windows, Bytes primary,
                                     Bytes secondary, std::uint32_t block_size, MemoryShare share) {
  const auto weight_of = [&](const WindowMemory& window) {
    return share == MemoryShare::equal ? Wide{1}
                                       : Wide{window.window} * window.bytes_per_token.value();
  };
  Wide total = 0;
  for (const WindowMemory& window : windows) {
    VACANCY_ASSERT(window.window > 0 && block_size > 0, "windows and blocks have a size");
    VACANCY_ASSERT(window.bytes_per_token > Bytes(0) && window.bytes_per_token.value() >> 32 == 0,
                   "a token's bytes are between 1 and 2^32, so that products fit");
    total += weight_of(window);
  }
  VACANCY_ASSERT(total > 0, "there is a window size");
  std::vector<PoolBlocks> split;
  for (const WindowMemory& window : windows) {
    // Tokens first, then blocks, as in the engine: the rounding of both steps is part of the rule.
    const auto tokens = [&](Bytes memory) {
      return Wide{memory.value()} * weight_of(window) / total / window.bytes_per_token.value();
    };
    PoolBlocks& blocks = split.emplace_back();
    blocks.primary =
        checked((tokens(primary) + block_size - 1) / block_size, window.window, "device");
    blocks.secondary = checked(tokens(secondary) / block_size, window.window, "host");
    if (blocks.primary == 0)
      throw UserError("window " + std::to_string(window.window) + ": its share of " +
                      format_bytes(primary) + " is less than a token; give more device memory.");
  }
  return split;
}

}  // namespace vacancy::reuse_tree
