// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entries.hpp"
#include "sim/eviction/policies/last_tokens.hpp"

namespace vacancy {

PolicyEntry sliding_window_entry() {
  PolicyEntry entry;
  entry.info.name = "sliding_window";
  entry.info.summary = "A sliding window over the cache: keeps the last tokens, no sinks.";
  entry.info.citation = "arXiv 2004.05150";
  entry.scope = Scope::model;
  entry.prompt = PromptRule::evictable;
  entry.trigger = TriggerKind::slack;
  entry.make = [](const ParameterValues&, const PolicyContext&) -> std::unique_ptr<EvictionPolicy> {
    return std::make_unique<LastTokens>(0);
  };
  return entry;
}

}  // namespace vacancy
