// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// Numbers the blocks of token sequences in the order of first appearance: two blocks get the same
/// number if and only if they and all blocks before them have the same tokens. Keeps each distinct
/// block once.
class TokenBlockNumbers {
 public:
  explicit TokenBlockNumbers(std::uint32_t block_size) : block_size_(block_size) {}

  /// Appends the numbers of the full blocks of `tokens`.
  void append_keys(std::span<const std::uint32_t> tokens, std::vector<std::uint64_t>& keys);

 private:
  std::uint64_t number(std::uint64_t parent, std::span<const std::uint32_t> block);

  std::uint32_t block_size_;
  std::vector<std::uint64_t> parents_;  // of block n
  std::vector<std::uint32_t> tokens_;   // of block n from n · block_size on
  std::unordered_multimap<std::uint64_t, std::uint64_t> by_hash_;
};

/// The same trace with keys of its full prompt blocks, made from its token ids.
std::unique_ptr<TraceReader> with_token_keys(std::unique_ptr<TraceReader> trace,
                                             std::uint32_t block_size);

}  // namespace vacancy
