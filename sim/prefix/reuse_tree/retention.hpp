// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

/// How long a block is kept: free blocks of a lower priority are taken first (spec engines T3).
using Priority = StrongType<struct PriorityTag, std::uint8_t>;

inline constexpr Priority lowest_priority{0}, default_priority{35}, highest_priority{100};

/// What a request asks for one of its prompt blocks; nothing leaves the block as it is, and a fresh
/// one at the default priority. A priority with a duration falls back to the default priority once
/// the block was free for that long.
struct BlockRetention {
  std::optional<Priority> priority;
  std::optional<SimTime> duration;

  bool operator==(const BlockRetention&) const = default;
};

/// Prompt tokens [begin, end), or all from `begin` on.
struct RetentionRange {
  std::uint32_t begin = 0;
  std::optional<std::uint32_t> end;
  Priority priority = default_priority;
  std::optional<SimTime> duration;
};

/// A request's wishes (spec engines T12): a priority and duration for ranges of its prompt, and one
/// for all blocks that decoding adds.
class Retention {
 public:
  Retention() = default;
  /// Throws UserError if a range is empty or open before the last one, if two overlap or are out of
  /// order, if a priority exceeds 100, or if a duration is negative.
  explicit Retention(std::vector<RetentionRange> ranges, Priority decode = default_priority,
                     std::optional<SimTime> decode_duration = std::nullopt);

  /// Of the prompt block that starts with this token: the range that has the token decides.
  BlockRetention of_block_at(std::uint32_t first_token) const;
  const BlockRetention& decode() const { return decode_; }

 private:
  std::vector<RetentionRange> ranges_;
  BlockRetention decode_{default_priority, std::nullopt};
};

}  // namespace vacancy::reuse_tree
