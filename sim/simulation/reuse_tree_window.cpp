// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/reuse_tree_window.hpp"

#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

void ReuseTreeWindow::Evictions::on_event(std::uint32_t /*window*/,
                                          const reuse_tree::Event& event) {
  if (std::holds_alternative<reuse_tree::BlockRemoved>(event)) {
    ++removed_;
  } else if (std::holds_alternative<reuse_tree::BlockReused>(event)) {
    removed_ = 0;
  } else if (std::holds_alternative<reuse_tree::BlockAllocated>(event) ||
             std::holds_alternative<reuse_tree::BlockCopied>(event) ||
             std::holds_alternative<reuse_tree::BlockOnboarded>(event)) {
    blocks += std::exchange(removed_, 0);
  }
}

ReuseTreeWindow::ReuseTreeWindow(const ReuseTreeOptions& options, std::uint32_t window,
                                 std::unique_ptr<RequestSource> requests)
    : options_(options),
      cache_(cache_options(options), &evictions_),
      use_(options, cache_),
      window_(window),
      source_(std::move(requests)) {}

bool ReuseTreeWindow::serve() {
  Request request;
  if (!source_->next(request)) {
    while (!active_.empty())
      finish_oldest();
    return false;
  }
  ++requests_;
  auto prompt = as_prompt(request, request.prompt_tokens, options_.block_size, words_);
  prompt.retention = retention_of(options_.retention);
  const std::uint32_t decoded = request.output_tokens - 1;  // the last token is never computed
  while (!cache_.has_room(prompt, decoded)) {
    if (active_.empty()) {
      ++rejected_;
      return true;
    }
    finish_oldest();
  }
  const auto hit = cache_.add(prompt);
  VACANCY_ASSERT(hit.has_value(), "a prompt that fits gets its blocks");
  cache_.store_context(request.id);
  cache_.add_token(request.id);
  for (std::uint32_t i = 0; i < decoded; ++i) {
    const bool has_slot = cache_.add_slot(request.id);
    VACANCY_ASSERT(has_slot, "an output that fits gets its blocks");
    cache_.add_token(request.id);
  }
  hit_tokens_ += *hit;
  query_tokens_ += request.prompt_tokens;
  hit_blocks_ += *hit / options_.block_size;
  query_blocks_ += (request.prompt_tokens + options_.block_size - 1) / options_.block_size;
  use_.note();
  active_.push_back(request.id);
  while (active_.size() > window_)
    finish_oldest();
  return true;
}

void ReuseTreeWindow::finish_oldest() {
  cache_.release(active_.front());
  active_.pop_front();
  ++completed_;
}

Summary ReuseTreeWindow::summary() const {
  Summary summary;
  summary.reclaim.block_size = options_.block_size;
  summary.memory.kv_peak_blocks = use_.peak_blocks();
  summary.memory.kv_peak_bytes = use_.peak_bytes();
  summary.windows = use_.figures();
  Summary::Serving& serving = summary.serving;
  serving.completed = completed_;
  serving.rejected = rejected_;
  serving.unfinished = rejected_ + active_.size();
  serving.hit_tokens_first_admission = hit_tokens_;
  serving.query_tokens = query_tokens_;
  serving.hit_blocks = hit_blocks_;
  serving.query_blocks = query_blocks_;
  serving.blocks_allocated = cache_.counters().alloc_total;
  serving.blocks_evicted = evictions_.blocks;
  return summary;
}

}  // namespace vacancy
