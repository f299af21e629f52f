// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/window_use.hpp"

#include <algorithm>

namespace vacancy {

WindowUse::WindowUse(const ReuseTreeOptions& options, const reuse_tree::ReuseTreeCache& cache)
    : cache_(cache), window_peak_(options.windows.size()) {
  for (const WindowPool& pool : options.windows) {
    token_bytes_.push_back(pool.token_bytes);
    blocks_ += pool.blocks.primary;
  }
}

void WindowUse::note() {
  std::uint64_t blocks = 0, bytes = 0;
  for (std::size_t i = 0; i < window_peak_.size(); ++i) {
    const reuse_tree::WindowBlockManager& window = cache_.windows()[i];
    const std::uint64_t held = window.config().primary_blocks - window.free_blocks();
    window_peak_[i] = std::max(window_peak_[i], held);
    blocks += held;
    bytes += held * window.config().block_size * token_bytes_[i].value();
  }
  peak_blocks_ = std::max(peak_blocks_, blocks);
  peak_bytes_ = std::max(peak_bytes_, Bytes(bytes));
}

std::uint32_t WindowUse::free_blocks() const {
  std::uint32_t free = 0;
  for (const reuse_tree::WindowBlockManager& window : cache_.windows())
    free += window.free_blocks();
  return free;
}

HostTraffic WindowUse::host_traffic() const {
  HostTraffic traffic;
  for (const WindowFigures& window : figures()) {
    traffic.written_back += window.offloaded();
    traffic.loaded += window.onboarded();
  }
  return traffic;
}

std::vector<WindowFigures> WindowUse::figures() const {
  std::vector<WindowFigures> all;
  for (std::size_t i = 0; i < window_peak_.size(); ++i) {
    const reuse_tree::WindowConfig& config = cache_.windows()[i].config();
    WindowFigures& figures = all.emplace_back();
    if (config.sliding) figures.window = config.window;
    figures.blocks = config.primary_blocks;
    figures.host_blocks = config.secondary_blocks;
    figures.token_bytes = token_bytes_[i];
    figures.block_bytes = token_bytes_[i] * config.block_size;
    figures.peak_held_blocks = window_peak_[i];
    figures.counts = cache_.windows()[i].counters();
  }
  return all;
}

}  // namespace vacancy
