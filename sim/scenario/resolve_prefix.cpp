// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/registry.hpp"
#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"

namespace vacancy {

void Resolver::resolve_prefix(ServingScenario& target) {
  target.prefix = prefix_table().read(section("prefix"));
  const PrefixOptions& prefix = target.prefix;
  EngineProfile& engine = target.config.engine;
  const std::string name(enum_name(prefix.index.value_or(PrefixIndex::none)));
  if (target.scheduler == SchedulerKind::block_replay) {
    if (prefix.index && prefix.index != PrefixIndex::none)
      fault("/prefix/index", name + " belongs to an engine; block_replay has none. Remove it.");
    const ReplacementEntry* entry = find_replacement(prefix.replacement);
    if (entry && entry->needs_pages)
      fault("/prefix/replacement", prefix.replacement +
                                       " chooses by device pages, and block_replay has blocks "
                                       "without a place. Use another, or an engine.");
    target.replacement = section("prefix." + prefix.replacement);
    return;
  }
  if (prefix.tenant_quota_blocks > 0) resolve_quota(target);
  if (engine.contiguous) {
    if (prefix.index.value_or(PrefixIndex::none) != PrefixIndex::none)
      fault("/prefix/index", engine.name + " finds no blocks of earlier requests. Use none.");
    return;
  }
  const PrefixIndex own = engine.radix        ? PrefixIndex::radix_tree
                          : engine.reuse_tree ? PrefixIndex::reuse_tree
                                              : PrefixIndex::hash_chain;
  const bool may_lack = !engine.radix;
  if (prefix.index && prefix.index != own && !(may_lack && prefix.index == PrefixIndex::none))
    fault("/prefix/index",
          engine.name + " has " + std::string(enum_name(own)) + (may_lack ? " or none." : "."));
  if (engine.radix) {
    if (const auto policy = radix_policy(prefix.replacement))
      engine.radix->cache.policy = *policy;
    else
      fault("/prefix/replacement", engine.name + " has no " + prefix.replacement +
                                       "; it has lru, lfu, fifo, slru, priority, mru and filo.");
  } else if (prefix.replacement != "lru") {
    resolve_replacement(target);
  }
}

void Resolver::resolve_replacement(ServingScenario& target) {
  if (!faults_.clean("/prefix")) return;
  EngineProfile& engine = target.config.engine;
  const std::string& name = target.prefix.replacement;
  const auto refuse = [&](const std::string& reason) { fault("/prefix/replacement", reason); };
  if (!engine.hash_chain || target.scheduler != SchedulerKind::continuous_batching) {
    refuse(engine.name +
           " reuses its free queue in the order of freeing (lru). Other policies are for a profile "
           "of vLLM under serving.scheduler=continuous_batching, and for block_replay.");
    return;
  }
  const ReplacementEntry* entry = find_replacement(name);
  if (entry->needs_next_use) {
    refuse(name +
           " needs to know all uses to come, and in an engine the run itself decides about them: "
           "when requests are admitted and preempted. Use another, or "
           "serving.scheduler=block_replay.");
    return;
  }
  if (entry->needs_pages && !scenario_.cache.blocks_per_page && faults_.clean("/cache")) {
    refuse(name + " chooses by device pages. Set cache.blocks_per_page to the blocks of one.");
    return;
  }
  engine.hash_chain->replacement = entry;
  engine.hash_chain->replacement_parameters = section("prefix." + name);
  check_chosen_order(target, "replacement", "lru");
}

void Resolver::resolve_quota(ServingScenario& target) {
  EngineProfile& engine = target.config.engine;
  if (!engine.hash_chain) {
    fault("/prefix/tenant_quota_blocks",
          engine.name +
              " knows no quotas; they are for a profile of vLLM and for block_replay. "
              "Set it to 0.");
    return;
  }
  engine.hash_chain->tenant_quota_blocks = target.prefix.tenant_quota_blocks;
  check_chosen_order(target, "tenant_quota_blocks", "0");
}

void Resolver::check_chosen_order(const ServingScenario& target, const std::string& key,
                                  const std::string& none) {
  const std::string remedy = "prefix." + key + " to " + none + ".";
  if (target.prefix.index == PrefixIndex::none)
    fault("/prefix/" + key, "nothing is cached without an index. Set it to " + none +
                                ", or prefix.index to hash_chain.");
  if (!scenario_.cache.blocks && faults_.clean("/cache"))
    fault("/cache/blocks",
          "prefix." + key + " is about the blocks of a pool of given size. Set cache.blocks, or " +
              remedy);
  if (engine_table().read(section("engine")).free_order)
    fault("/engine/free_order", "with prefix." + key +
                                    " blocks without contents go first, whatever is set here. "
                                    "Remove it, or set " +
                                    remedy);
}

}  // namespace vacancy
