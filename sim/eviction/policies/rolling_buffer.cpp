// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entries.hpp"
#include "sim/eviction/policies/last_tokens.hpp"

namespace vacancy {

PolicyEntry rolling_buffer_entry() {
  PolicyEntry entry;
  entry.info.name = "rolling_buffer";
  entry.info.summary =
      "A rolling buffer: keeps the last tokens, each in the slot of the one that it displaces.";
  entry.info.citation = "arXiv 2310.06825, section 2";
  entry.scope = Scope::model;
  entry.prompt = PromptRule::evictable;
  entry.trigger = TriggerKind::slack;
  entry.make = [](const ParameterValues&,
                  const PolicyContext& context) -> std::unique_ptr<EvictionPolicy> {
    if (context.note)
      context.note(
          "An engine with a rolling buffer writes a token over the oldest one. Here it is appended "
          "first and takes the oldest one's slot in the round: set eviction.interval to 1 and "
          "reclaim.kind to fill_holes. The one move a token that this counts is none of the "
          "method's, nor is the block that the append takes for a moment where the budget is a "
          "multiple of the block size.");
    return std::make_unique<LastTokens>(0);
  };
  return entry;
}

}  // namespace vacancy
