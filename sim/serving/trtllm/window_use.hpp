// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pool/window_figures.hpp"
#include "sim/serving/cache_manager.hpp"
#include "sim/serving/trtllm/reuse_tree_options.hpp"

namespace vacancy {

/// What the window sizes of a cache hold, now and at most. Blocks of different sizes are counted
/// together as the engine does: each is one; their bytes differ.
class WindowUse {
 public:
  /// The cache outlives it.
  WindowUse(const ReuseTreeOptions& options, const reuse_tree::ReuseTreeCache& cache);

  /// Blocks were taken: what is held now may be the most.
  void note();

  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t free_blocks() const;
  std::uint32_t held_blocks() const { return blocks_ - free_blocks(); }
  std::uint64_t peak_blocks() const { return peak_blocks_; }
  Bytes peak_bytes() const { return peak_bytes_; }
  /// Since the start.
  HostTraffic host_traffic() const;
  std::vector<WindowFigures> figures() const;

 private:
  const reuse_tree::ReuseTreeCache& cache_;
  std::vector<Bytes> token_bytes_;          // by window
  std::vector<std::uint64_t> window_peak_;  // likewise
  std::uint32_t blocks_ = 0;
  std::uint64_t peak_blocks_ = 0;
  Bytes peak_bytes_;
};

}  // namespace vacancy
