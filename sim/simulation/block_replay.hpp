// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/prefix/block_cache.hpp"
#include "sim/simulation/replay.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// The blocks of a trace's prompts through one pool under a replacement policy: no engine, no pins,
/// no chains (see BlockCache).
class BlockReplay final : public Replay {
 public:
  /// Reads the whole trace. `partial`: a partial last block is a block too. Throws UserError if the
  /// trace names no blocks, or blocks that `block_tokens` does not divide.
  BlockReplay(TraceReader& trace, std::uint32_t block_tokens, bool partial,
              const BlockCacheOptions& options, const ReplacementEntry& replacement,
              const ParameterValues& parameters, BlockCacheObserver* observer = nullptr);

  bool serve() override { return cache_->serve(); }
  std::uint64_t requests() const override { return cache_->result().requests; }
  Summary summary() const override;

 private:
  std::unique_ptr<ReferenceString> string_;
  std::unique_ptr<BlockCache> cache_;
};

}  // namespace vacancy
