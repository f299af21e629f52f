// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/last_tokens.hpp"

namespace vacancy {
namespace {

class RollingBuffer final : public LastTokens {
 public:
  explicit RollingBuffer(const PolicyContext& context) {
    if (context.note)
      context.note(
          "An engine with a rolling buffer writes a token over the oldest one. Here it is appended "
          "first and takes the oldest one's slot in the round: set eviction.interval to 1 and "
          "reclaim.kind to fill_holes. The one move a token that this counts is none of the "
          "method's, nor is the block that the append takes for a moment where the budget is a "
          "multiple of the block size.");
  }
};

}  // namespace

PolicyEntry rolling_buffer_entry() {
  return entry_of<RollingBuffer>(
      "rolling_buffer",
      "A rolling buffer: keeps the last tokens, each in the slot of the one that it displaces.",
      "arXiv 2310.06825, section 2");
}

}  // namespace vacancy
