// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/prefix/radix/run_list.hpp"

namespace vacancy {

/// `count` consecutive tokens of one content. A token's identity is (content, offset); a prefix is
/// shared exactly where identities agree. The two top bits of the offset keep three kinds of
/// content apart, whatever 64-bit number names them.
struct TokenRun {
  std::uint64_t content = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  bool continues(const TokenRun& previous) const {
    return content == previous.content && first == previous.first + previous.count;
  }
  bool operator==(const TokenRun&) const = default;
};

using TokenRuns = RunList<TokenRun>;
using TokenView = RunView<TokenRun>;

/// Tokens of one content are fewer than this.
inline constexpr std::uint32_t content_limit = 1u << 30;

/// A token of a known vocabulary.
constexpr TokenRun token(std::uint32_t id) {
  return {id, 2 * content_limit, 1};
}
/// The first `count` tokens of the block that a trace calls `key`.
constexpr TokenRun trace_block(std::uint64_t key, std::uint32_t count) {
  return {key, 0, count};
}
/// Tokens [first, first + count) of what request number `request` generated.
constexpr TokenRun generated(std::uint64_t request, std::uint32_t first, std::uint32_t count) {
  return {request, content_limit + first, count};
}

/// How many tokens two sequences have in common from their starts on.
inline std::uint32_t common_prefix(TokenView a, TokenView b) {
  std::uint32_t common = 0;
  while (!a.empty() && !b.empty()) {
    const TokenRun x = a.front(), y = b.front();
    if (x.content != y.content || x.first != y.first) break;
    const std::uint32_t count = std::min(x.count, y.count);
    common += count;
    a.drop_front(count);
    b.drop_front(count);
  }
  return common;
}

}  // namespace vacancy
