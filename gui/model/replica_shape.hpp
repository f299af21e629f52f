// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy {
struct CacheConfig;
struct Scenario;
class EngineRun;
}  // namespace vacancy

namespace vacancy::gui {

/// What the event stream takes for granted: how big the cache is and by which rules it works.
struct ReplicaShape {
  std::uint32_t block_size = 16;  // slots
  /// Blocks at the start, of all windows and of the host; nothing: the pool grows with demand.
  std::optional<std::uint32_t> blocks;
  CacheLayout layout{1, 1, TableKind::shared, Scope::model};
  FreeOrder free_order = FreeOrder::append;
  bool pins_prompts = false;  // eviction never touches a prompt

  /// A pool of its own for the layers of each window size (TensorRT-LLM), block ids one behind the
  /// other: those on the device, then those of the host's memory. Empty: one pool on the device.
  struct Window {
    std::uint32_t first = 0, device_blocks = 0, host_blocks = 0;
  };
  std::vector<Window> windows;

  /// Whether events name blocks at all. SGLang's tree and a replay without a clock have none: their
  /// figures are there, a map is not.
  bool has_map = true;
  /// Whether the order of the free queue is known: engines with other structures choose themselves.
  bool has_queue = true;
  /// Whether events tell which blocks have cached contents; if not, free ones may have some.
  bool tells_cached = true;

  std::uint32_t tables() const {
    return windows.empty() ? layout.tables() : static_cast<std::uint32_t>(windows.size());
  }
  std::uint32_t sets_per_table() const { return windows.empty() ? layout.sets_per_table() : 1; }
  std::uint32_t host_blocks() const {
    std::uint32_t blocks_there = 0;
    for (const Window& window : windows)
      blocks_there += window.host_blocks;
    return blocks_there;
  }
};

/// What a paged cache of this configuration has; prompts are not pinned.
ReplicaShape shape_of(const CacheConfig& cache);
/// Of sequences in lockstep.
ReplicaShape lockstep_shape(const Scenario& scenario);
/// Of an engine that was built but did not run.
ReplicaShape engine_shape(const Scenario& scenario, const EngineRun& run);

}  // namespace vacancy::gui
