// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"

namespace vacancy {

void Resolver::resolve_pins(ServingScenario& target) {
  const PrefixOptions& prefix = target.prefix;
  const auto refuse = [&](const std::string& reason) {
    fault("/prefix/pinned_requests", reason + " Remove it.");
  };
  if (prefix.pinned_requests.empty()) {
    if (prefix.pinned_tokens && faults_.clean("/prefix/pinned_requests"))
      fault("/prefix/pinned_tokens",
            "no prompt is pinned. Set prefix.pinned_requests, or remove it.");
    return;
  }
  PinnedPrefixes& pinned = target.pinned;
  pinned.tokens = prefix.pinned_tokens;
  try {
    pinned.requests = parse_number_ranges(prefix.pinned_requests, "the requests");
  } catch (const UserError& error) {
    fault("/prefix/pinned_requests", error.what());
    return;
  }
  if (target.scheduler == SchedulerKind::block_replay) return;
  EngineProfile& engine = target.config.engine;
  if (engine.reuse_tree)
    refuse(engine.name + " keeps blocks by priority: see engine.retain_prompt_priority.");
  else if (!engine.hash_chain && !engine.radix)
    refuse(engine.name + " keeps nothing of requests that ended.");
  else if (prefix.index == PrefixIndex::none)
    refuse("nothing is cached without an index.");
  else if (has_windows())
    refuse("of layers with a sliding window, " + engine.name +
           " keeps the end of a prompt only, so that its start cannot stay.");
  else if (engine.radix && target.scheduler != SchedulerKind::continuous_batching)
    refuse("SGLang's tree is pinned under serving.scheduler=continuous_batching only.");
  if (engine.hash_chain) engine.hash_chain->pinned = pinned;
  if (engine.radix) engine.radix->pinned = pinned;
}

}  // namespace vacancy
