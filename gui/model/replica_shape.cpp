// SPDX-License-Identifier: Apache-2.0
#include "gui/model/replica_shape.hpp"

#include "sim/study/engine_run.hpp"

namespace vacancy::gui {

ReplicaShape shape_of(const CacheConfig& cache) {
  ReplicaShape shape;
  shape.block_size = cache.block_size;
  shape.blocks = cache.blocks;
  shape.layout = cache.layout;
  shape.free_order = cache.free_order;
  return shape;
}

ReplicaShape lockstep_shape(const Scenario& scenario) {
  ReplicaShape shape = shape_of(scenario.cache);
  shape.pins_prompts = scenario.eviction.prompt != PromptRule::evictable;
  return shape;
}

ReplicaShape engine_shape(const Scenario& scenario, const EngineRun& run) {
  if (const KvCache* const tables = run.cache().cache()) {
    ReplicaShape shape = shape_of(tables->config());
    shape.pins_prompts =
        scenario.serving->evicts && scenario.eviction.prompt != PromptRule::evictable;
    return shape;
  }
  ReplicaShape shape = shape_of(scenario.cache);
  shape.layout = CacheLayout(1, 1, TableKind::shared, Scope::model);
  shape.has_queue = false;
  const EngineProfile& engine = run.simulation().config().engine;
  shape.has_map = !engine.radix.has_value();
  shape.tells_cached = !engine.reuse_tree.has_value();
  if (engine.contiguous) {
    shape.block_size = engine.contiguous->block_size;
    shape.blocks = engine.contiguous->blocks;
  }
  std::uint32_t first = 0;
  for (const WindowFigures& window : run.cache().windows()) {
    shape.windows.push_back({first, window.blocks, window.host_blocks});
    first += window.blocks + window.host_blocks;
  }
  if (!shape.windows.empty()) shape.blocks = first;
  return shape;
}

}  // namespace vacancy::gui
