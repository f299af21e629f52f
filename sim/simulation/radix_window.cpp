// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/radix_window.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

namespace {

/// The protocol evicts what is lacking, whatever the engine would.
RadixCacheOptions of_protocol(RadixCacheOptions options) {
  options.evict_shortfall_only = true;
  return options;
}

}  // namespace

RadixWindow::RadixWindow(const RadixOptions& options, Bytes page_bytes, std::uint32_t window,
                         std::unique_ptr<TraceReader> trace)
    : page_size_(options.cache.page_size),
      page_bytes_(page_bytes),
      cache_(of_protocol(options.cache),
             make_slot_allocator(page_size_, options.pages, options.need_sort)),
      replay_(cache_, std::max(trace->info().block_size, 1u), window),
      trace_(std::move(trace)) {}

bool RadixWindow::serve() {
  if (!trace_->next(row_)) {
    replay_.drain();
    return false;
  }
  replay_.serve({row_.prompt_tokens, row_.output_tokens, row_.block_keys});
  const SlotAllocator& slots = cache_.allocator();
  const std::uint64_t in_use = slots.slots() - slots.available() - cache_.tree().evictable_tokens();
  peak_pages_ = std::max(peak_pages_, in_use / page_size_);
  return true;
}

Summary RadixWindow::summary() const {
  const ReplayCounts& counts = replay_.counts();
  Summary summary;
  summary.reclaim.block_size = page_size_;
  summary.memory.kv_peak_blocks = peak_pages_;
  summary.memory.kv_peak_bytes = Bytes(peak_pages_ * page_bytes_.value());
  Summary::Serving& serving = summary.serving;
  serving.completed = counts.requests;
  serving.hit_tokens_first_admission = counts.hit_tokens;
  serving.query_tokens = counts.prompt_tokens;
  serving.hit_blocks = counts.hit_tokens / page_size_;
  serving.query_blocks = counts.prompt_tokens / page_size_;
  serving.blocks_evicted = counts.evicted_tokens / page_size_;
  serving.evict_calls = counts.evict_calls;
  return summary;
}

}  // namespace vacancy
