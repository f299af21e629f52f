// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/block_replay.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

BlockReplay::BlockReplay(TraceReader& trace, std::uint32_t block_tokens, bool partial,
                         const BlockCacheOptions& options, const ReplacementEntry& replacement,
                         const ParameterValues& parameters, BlockCacheObserver* observer) {
  const std::uint32_t key_tokens = trace.info().block_size;
  if (key_tokens == 0)
    throw UserError("the trace says nothing about the contents of its prompts: format " +
                    trace.info().format + " has no block ids. Take a trace that has them.");
  string_ = std::make_unique<ReferenceString>(BlockSplit{key_tokens, block_tokens, partial});
  for (TraceRequest row; trace.next(row);)
    string_->add({row.block_keys, row.prompt_tokens, row.arrival, 0, row.tenant});
  cache_ = std::make_unique<BlockCache>(*string_, options, replacement, parameters, observer);
}

Summary BlockReplay::summary() const {
  const BlockCacheResult& result = cache_->result();
  Summary summary;
  summary.reclaim.block_size = string_->block_tokens();
  Summary::Serving& serving = summary.serving;
  serving.completed = result.requests;
  serving.hit_tokens_first_admission = result.hit_tokens;
  serving.query_tokens = result.input_tokens;
  serving.hit_blocks = result.hits;
  serving.query_blocks = result.accesses;
  serving.blocks_allocated = result.accesses - result.hits - result.refusals;
  serving.blocks_evicted = result.evictions + result.expirations;
  serving.request_hit_ratio = result.mean_request_hit_ratio();
  return summary;
}

}  // namespace vacancy
