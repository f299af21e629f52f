// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <utility>

#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"

namespace vacancy {

void Resolver::resolve_host_tier(EngineProfile& engine, const EngineOptions& choices) {
  const auto refuse = [&](const char* key, const std::string& reason) {
    fault(std::string("/engine/") + key, reason);
  };
  const auto refuse_set = [&](std::initializer_list<std::pair<const char*, bool>> keys,
                              const std::string& reason) {
    for (const auto& [key, set] : keys)
      if (set) refuse(key, reason);
  };
  const std::pair blocks("host_blocks", choices.host_blocks.value_or(0) > 0);
  const std::pair replacement("host_replacement", choices.host_replacement.has_value());
  const std::pair write("host_write", choices.host_write.has_value());
  const std::pair threshold("host_load_threshold", choices.host_load_threshold.has_value());

  std::uint32_t room = 0;
  if (engine.hash_chain) {
    refuse_set({write, threshold},
               engine.name + " has no such rule; it is one of SGLang's. Remove it.");
    HashChainOptions& options = *engine.hash_chain;
    room = options.host_blocks = choices.host_blocks.value_or(options.host_blocks);
    options.host_replacement = choices.host_replacement.value_or(options.host_replacement);
    if (room > 0) check_host_copies(options);
  } else if (engine.radix) {
    refuse_set({replacement},
               engine.name +
                   " evicts from the host in the order of prefix.replacement. Remove "
                   "it.");
    HostTierOptions& host = engine.radix->cache.host;
    room = host.pages = choices.host_blocks.value_or(host.pages);
    host.write = choices.host_write.value_or(host.write);
    host.load_threshold = choices.host_load_threshold.value_or(host.load_threshold);
  } else if (engine.reuse_tree) {
    refuse_set({replacement, write, threshold},
               engine.name +
                   " has other rules for its host memory (engine.offload_threshold, "
                   "engine.onboarding). Remove it.");
    return;  // the rest is resolve_reuse_tree's
  } else {
    refuse_set({blocks, replacement, write, threshold},
               engine.name + " is simulated without host memory. Remove it.");
    return;
  }
  if (room == 0)
    refuse_set(
        {replacement, write, threshold},
        "there is no host memory that this could be about. Set engine.host_blocks, or remove "
        "it.");
  else if (scenario_.serving->scheduler != SchedulerKind::continuous_batching)
    refuse(
        "host_blocks",
        "only continuous_batching copies blocks to the host. Set it to 0, or serving.scheduler to "
        "continuous_batching.");
}

void Resolver::check_host_copies(const HashChainOptions& options) {
  const auto refuse = [&](const std::string& reason) {
    fault("/engine/host_blocks", reason + " Set it to 0.");
  };
  if (has_windows())
    refuse(
        "blocks are copied to the host where all layers share a table (engine.hybrid_groups "
        "false).");
  else if (!options.prefix_caching)
    refuse("without a prefix index nothing finds copies on the host (prefix.index).");
  else if (scenario_.serving->config.scheduler.preemption == Preemption::swap)
    refuse("a preempted request that is swapped out does not look for copies on the host.");
}

}  // namespace vacancy
