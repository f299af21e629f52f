// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/window_use.hpp"

#include <algorithm>

namespace vacancy {

WindowUse::WindowUse(const ReuseTreeOptions& options, const reuse_tree::ReuseTreeCache& cache)
    : cache_(cache), window_peak_(options.windows.size()) {
  for (const WindowPool& pool : options.windows) {
    block_bytes_.push_back(Bytes(pool.token_bytes.value() * options.block_size));
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
    bytes += held * block_bytes_[i].value();
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

std::vector<WindowFigures> WindowUse::figures() const {
  std::vector<WindowFigures> all;
  for (std::size_t i = 0; i < window_peak_.size(); ++i) {
    const reuse_tree::WindowConfig& config = cache_.windows()[i].config();
    WindowFigures& figures = all.emplace_back();
    if (config.sliding) figures.window = config.window;
    figures.blocks = config.primary_blocks;
    figures.block_bytes = block_bytes_[i];
    figures.peak_held_blocks = window_peak_[i];
  }
  return all;
}

}  // namespace vacancy
