// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/trtllm/reuse_tree_options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vacancy {

namespace {

std::optional<SimTime> duration(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  return SimTime(static_cast<std::int64_t>(std::llround(*seconds * 1e9)));
}

reuse_tree::Priority priority(std::uint32_t value) {
  return reuse_tree::Priority(static_cast<std::uint8_t>(value));
}

}  // namespace

reuse_tree::Retention retention_of(const RetentionOptions& options) {
  std::vector<reuse_tree::RetentionRange> ranges;
  if (options.prompt_priority)
    ranges.push_back({0, options.prompt_tokens, priority(*options.prompt_priority),
                      duration(options.prompt_seconds)});
  return reuse_tree::Retention(
      std::move(ranges),
      options.decode_priority ? priority(*options.decode_priority) : reuse_tree::default_priority,
      duration(options.decode_seconds));
}

bool ReuseTreeOptions::has_host_memory() const {
  return std::any_of(windows.begin(), windows.end(),
                     [](const WindowPool& pool) { return pool.blocks.secondary > 0; });
}

reuse_tree::CacheOptions cache_options(const ReuseTreeOptions& options) {
  reuse_tree::CacheOptions result;
  result.block_size = options.block_size;
  result.max_sequence_length = full_window;
  for (const WindowPool& pool : options.windows)
    result.windows.push_back({pool.window, pool.blocks});
  result.contents = reuse_tree::ContentKind::keys;
  result.reuse = options.reuse;
  result.onboard = options.onboarding;
  result.offload_threshold = priority(options.offload_threshold);
  result.partial_reuse = options.partial_reuse;
  result.copy_on_partial_reuse = options.copy_on_partial_reuse;
  return result;
}

reuse_tree::NewSequence as_prompt(const Request& request, std::uint32_t tokens,
                                  std::uint32_t block_size, std::vector<std::uint64_t>& words) {
  const RequestContents& contents = request.contents;
  words.clear();
  const std::uint32_t blocks = std::min(contents.keyed_tokens, tokens) / block_size;
  for (std::uint32_t block = 0; block < blocks; ++block)
    words.push_back(block_content(request, block, block_size, 0, 1).key);
  return {request.id, reuse_tree::ContentSpace(contents.tenant), tokens, words, {}, {}};
}

}  // namespace vacancy
