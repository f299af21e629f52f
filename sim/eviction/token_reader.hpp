// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace vacancy {

/// What single queries read of the tokens that one (layer, KV head) keeps, for methods that read
/// fewer than they keep. What such a method loses is lost to one query, not to the cache.
class TokenReader {
 public:
  virtual ~TokenReader() = default;

  /// Clears read[token] for each kept token that the query passes over.
  virtual void pass_over(std::uint32_t query_head, std::uint32_t query,
                         std::span<std::uint8_t> read) = 0;
};

}  // namespace vacancy
