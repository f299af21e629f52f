// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/request_source.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

RequestSource::RequestSource(std::unique_ptr<TraceReader> trace, std::uint32_t block_size,
                             std::uint32_t samples, std::uint32_t width)
    : trace_(std::move(trace)),
      block_size_(block_size),
      samples_(samples),
      width_(width),
      token_blocks_(block_size) {
  const std::uint32_t keyed = trace_->info().block_size;
  if (keyed != 0 && keyed % block_size != 0 && block_size % keyed != 0)
    throw UserError("the trace names blocks of " + std::to_string(keyed) +
                    " tokens, the engine has blocks of " + std::to_string(block_size) +
                    "; choose a cache.block_size that divides the trace's, or a multiple of it");
}

bool RequestSource::next(Request& request) {
  if (count_ % samples_ == 0 && !trace_->next(row_)) return false;
  request = {};
  request.id = SequenceId(count_++);
  request.arrival = row_.arrival;
  request.prompt_tokens = std::max(row_.prompt_tokens, 1u);
  request.output_tokens = std::max(row_.output_tokens, 1u);
  request.width = width_;
  request.contents.tenant = row_.tenant;
  describe(request.contents);
  return true;
}

void RequestSource::describe(RequestContents& contents) {
  const TraceInfo& info = trace_->info();
  if (info.token_ids) {
    tokens_ = row_.prompt_ids;
    if (samples_ == 1 && width_ == 1)
      tokens_.insert(tokens_.end(), row_.output_ids.begin(), row_.output_ids.end());
    token_blocks_.append_keys(tokens_, contents.keys);
    contents.tokens_per_key = block_size_;
    contents.keyed_tokens = static_cast<std::uint32_t>(contents.keys.size() * block_size_);
  } else if (info.block_size != 0) {
    contents.keys = row_.block_keys;
    contents.tokens_per_key = info.block_size;
    contents.keyed_tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        row_.prompt_tokens, contents.keys.size() * std::uint64_t{info.block_size}));
  } else if (samples_ > 1) {
    name_prompt(contents);
  }
}

void RequestSource::name_prompt(RequestContents& contents) const {
  const std::uint64_t row = (count_ - 1) / samples_;
  for (std::uint32_t block = 0; block * std::uint64_t{block_size_} < row_.prompt_tokens; ++block)
    contents.keys.push_back(row << 32 | block);
  contents.tokens_per_key = block_size_;
  contents.keyed_tokens = row_.prompt_tokens;
}

}  // namespace vacancy
