// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/options.hpp"
#include "sim/scenario/resolver.hpp"

namespace vacancy {

void Resolver::resolve_reclaim() {
  const auto options = reclaim_table().read(section("reclaim"));
  scenario_.reclaimer = options.kind;
  scenario_.reclaim_rules = {options.shared, options.min_hole_share, options.min_blocks};
  const auto* entry = find_reclaimer(options.kind);
  if (entry->whole_blocks()) scenario_.eviction.whole_blocks = options.aggregate;
  check_movement(*entry);
  const std::string pointer = "/reclaim/" + options.kind;
  if (faults_.clean(pointer))
    attempt(pointer, [&] {
      scenario_.reclaim =
          make_reclaimer(*entry, section("reclaim." + options.kind), scenario_.reclaim_rules);
    });
}

void Resolver::check_movement(const ReclaimerEntry& entry) {
  const ReclaimRules& rules = scenario_.reclaim_rules;
  const std::string& kind = entry.info.name;
  if (rules.shared != SharedBlocks::suffix && entry.movement != Movement::in_place)
    fault("/reclaim/shared",
          "is about survivors that move in place, and " + kind +
              (entry.movement == Movement::none || entry.whole_blocks() ? " moves none."
                                                                        : " copies them out.") +
              " Set reclaim.kind to slide, fill_holes or fullest_blocks, or remove it.");
  if (entry.movement != Movement::none && !entry.whole_blocks()) return;
  const std::string remedy = "says when survivors move, and " + kind +
                             " moves none. Set another reclaim.kind, or remove it.";
  if (rules.min_hole_share > 0) fault("/reclaim/min_hole_share", remedy);
  if (rules.min_blocks > 0) fault("/reclaim/min_blocks", remedy);
}

void Resolver::check_sharing() {
  if (engine_absent_ || scenario_.policy == "full" || !faults_.clean("/engine") ||
      !faults_.clean("/prefix") || !faults_.clean("/serving") || !faults_.clean("/reclaim"))
    return;
  const bool shares = scenario_.serving && scenario_.serving->config.engine.hash_chain &&
                      scenario_.serving->config.engine.hash_chain->prefix_caching;
  if (shares) return;
  const std::string remedy =
      " Run an engine with a prefix cache (engine.profile, prefix.index), or remove it.";
  if (scenario_.reclaim_rules.shared != SharedBlocks::suffix)
    fault("/reclaim/shared", "is about blocks that requests share, and here none are." + remedy);
  if (scenario_.reclaimer != "copy_out") return;
  if (scenario_.reclaim->when_full() == WhenFull::preempt)
    fault("/reclaim/copy_out/when_full",
          "preempts for blocks to copy shared ones to, and here none are shared." + remedy);
  else
    scenario_.notes.push_back("No blocks are shared, so copy_out does what slide does.");
}

}  // namespace vacancy
