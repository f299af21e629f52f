// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pool/content_id.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What a request's sequence consists of, as far as reuse cares. Key i stands for all tokens up to
/// the end of the i-th run of `tokens_per_key` tokens: equal keys, equal prefixes.
struct RequestContents {
  std::vector<std::uint64_t> keys;
  std::uint32_t tokens_per_key = 1;
  /// Tokens from the first one on that keys describe. A block that reaches beyond holds tokens that
  /// nobody else has.
  std::uint32_t keyed_tokens = 0;
  std::uint32_t tenant = 0;  // nothing is reused across tenants (salt, LoRA)
};

/// One request, as the workload gives it. Lengths are forced: it ends after `output_tokens`.
struct Request {
  SequenceId id;
  SimTime arrival;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 1;  // at least 1
  std::int32_t priority = 0;        // lower runs earlier
  std::uint32_t width = 1;          // candidates of a beam search; 1: none
  RequestContents contents;
};

/// Identity of a full block of `block_size` tokens in cache group `group` of `groups`. The block
/// size divides tokens_per_key, or is a multiple of it.
inline ContentId block_content(const Request& request, std::uint32_t block,
                               std::uint32_t block_size, std::uint32_t group,
                               std::uint32_t groups) {
  const RequestContents& contents = request.contents;
  const std::uint64_t end = std::uint64_t{block + 1} * block_size;
  const std::uint32_t space = (contents.tenant * groups + group) * 2;
  if (end > contents.keyed_tokens) return {request.id.value(), block, space + 1};
  return {contents.keys[(end - 1) / contents.tokens_per_key], block, space};
}

}  // namespace vacancy
