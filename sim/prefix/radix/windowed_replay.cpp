// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/windowed_replay.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

WindowedReplay::WindowedReplay(RadixCache& cache, std::uint32_t block_tokens, std::uint32_t window)
    : cache_(cache), block_tokens_(block_tokens), window_(window) {
  VACANCY_ASSERT(block_tokens > 0 && block_tokens <= content_limit, "a key stands for tokens");
}

void WindowedReplay::fill_prompt(const ReplayRequest& from, Active& active) const {
  TokenRuns& tokens = active.request.tokens;
  std::uint32_t left = from.prompt_tokens;
  for (const std::uint64_t key : from.block_keys) {
    const std::uint32_t count = std::min(left, block_tokens_);
    tokens.append(trace_block(key, count));
    left -= count;
  }
  active.own_prompt = left;
  tokens.append(generated(active.number, 0, left));
}

void WindowedReplay::serve(const ReplayRequest& request) {
  const std::uint64_t length = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  const std::uint32_t most = std::min(cache_.allocator().slots(), content_limit);
  if (length > most)
    throw UserError("Request " + std::to_string(counts_.requests) + " (counted from 0) has " +
                    std::to_string(length) + " tokens, but the pool has room for " +
                    std::to_string(most) + "; choose a larger pool or shorter requests.");

  Active active;
  if (!spare_.empty()) {
    active = std::move(spare_.back());
    spare_.pop_back();
  }
  active.number = counts_.requests;
  active.output_tokens = request.output_tokens;
  fill_prompt(request, active);

  std::uint32_t hit = cache_.look_up(active.request);
  while (!cache_.allocate(active.request, active.output_tokens)) {
    cache_.abandon(active.request);
    if (!active_.empty()) finish_oldest();
    make_room(length - hit);
    hit = cache_.look_up(active.request);
  }
  cache_.unfinished(active.request, false);

  ++counts_.requests;
  counts_.prompt_tokens += request.prompt_tokens;
  counts_.output_tokens += request.output_tokens;
  counts_.hit_tokens += hit;
  active_.push_back(std::move(active));
  while (active_.size() > window_)
    finish_oldest();
}

void WindowedReplay::make_room(std::uint64_t slots) {
  if (cache_.allocator().available() >= slots) return;
  counts_.evicted_tokens += cache_.make_room(slots);
  ++counts_.evict_calls;
}

void WindowedReplay::finish_oldest() {
  Active oldest = std::move(active_.front());
  active_.pop_front();
  TokenRuns output;
  output.append(generated(oldest.number, oldest.own_prompt, oldest.output_tokens));
  const bool has_slots = cache_.extend(oldest.request, output);
  VACANCY_ASSERT(has_slots, "the output's slots were taken with the prompt's");
  cache_.finish(oldest.request, true);
  spare_.push_back(std::move(oldest));
}

void WindowedReplay::drain() {
  while (!active_.empty())
    finish_oldest();
}

}  // namespace vacancy
