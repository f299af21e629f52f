// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace vacancy {

/// Tokens that evictions took from one (layer, KV head), and which of its queries still read them.
class EvictedTokens {
 public:
  bool none() const { return gone_from_.empty(); }

  /// Of the tokens before position `from`, queries from there on read only `kept`, which ascend and
  /// were all read until now. No call has a smaller `from` than the one before.
  void retain(std::uint32_t from, std::span<const std::uint32_t> kept);

  /// What the query at a position reads, ascending, itself included.
  void list_read(std::uint32_t query, std::vector<std::uint32_t>& out) const;

 private:
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

  /// By token: the first query that does not read it. Tokens behind the end are read by all.
  std::vector<std::uint32_t> gone_from_;
};

}  // namespace vacancy
