// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/scenario/resolver.hpp"
#include "sim/scenario/serving_options.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::string groups_text(const ModelGeometry& model, const LayerGroups& layers) {
  const auto full = std::ranges::count(layers.groups, LayerKind::full, &LayerGroup::kind);
  const auto sliding = std::ranges::count(layers.groups, LayerKind::sliding, &LayerGroup::kind);
  const auto tables = [](std::ptrdiff_t count) {
    return counted(static_cast<std::uint64_t>(count), "table");
  };
  std::string text = "A block has room for " + format_count(layers.layers_per_block) + " of the " +
                     counted(model.kv_layers(), "layer") + " of " + model.name + "; a request has ";
  if (full > 0) text += tables(full) + " of full attention and ";
  text += tables(sliding) + " of a window of " + counted(model.window, "token") + ".";
  if (const std::uint32_t unused = layers.unused_layers(); unused > 0)
    text += " Room for " + counted(unused, "layer") + " goes unused.";
  return text;
}

}  // namespace

void Resolver::resolve_layers() {
  const ModelGeometry& model = scenario_.model;
  if (!faults_.clean("/model") || !faults_.clean("/engine")) return;
  const bool slides = model.layer_count(LayerKind::sliding) > 0;
  const EngineProfile* const engine =
      scenario_.serving ? &scenario_.serving->config.engine : nullptr;
  if (engine && engine->hash_chain && slides) {
    const bool by_profile = engine->hash_chain->hybrid_groups;
    if (engine_table().read(section("engine")).hybrid_groups.value_or(by_profile))
      layer_groups_ = group_layers(model);
  }
  if (layer_groups_)
    scenario_.notes.push_back(groups_text(model, *layer_groups_));
  else if (slides && !(engine && engine->reuse_tree))
    scenario_.notes.push_back("Sliding-window layers of " + model.name +
                              " are held at full length: all layers share one kind of table.");
  if (model.layer_count(LayerKind::state) > 0)
    scenario_.notes.push_back("State layers of " + model.name +
                              " keep no tokens and are not in the cache of this run.");
}

bool Resolver::has_windows() const {
  return layer_groups_.has_value();
}

std::uint64_t Resolver::tables_per_sequence() const {
  return layer_groups_ ? layer_groups_->groups.size() : scenario_.cache.layout.tables();
}

std::vector<CacheGroup> Resolver::cache_groups() const {
  if (!layer_groups_) return {CacheGroup{}};
  std::vector<CacheGroup> groups;
  for (const LayerGroup& group : layer_groups_->groups)
    groups.push_back(
        {group.kind == LayerKind::sliding ? std::optional(scenario_.model.window) : std::nullopt});
  return groups;
}

}  // namespace vacancy
