// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

#include "sim/metrics/metrics.hpp"
#include "sim/serving/request_source.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/simulation/replay.hpp"

namespace vacancy {

/// Protocol B (spec engines §6) on vLLM's memory manager. A request gets room for prompt and output
/// at once; both are hashed. If it does not fit, the oldest active request ends and it looks up
/// again; while more than `window` are active, the oldest ends.
class HashChainWindow final : public Replay {
 public:
  HashChainWindow(const HashChainOptions& options, Bytes block_bytes, std::uint32_t window,
                  std::unique_ptr<RequestSource> requests);

  bool serve() override;
  std::uint64_t requests() const override { return requests_; }
  Summary summary() const override;

 private:
  void finish_oldest();

  Metrics metrics_;
  HashChainManager manager_;
  std::uint32_t window_;
  std::unique_ptr<RequestSource> source_;
  std::deque<Request> active_;
  std::uint64_t requests_ = 0;
};

}  // namespace vacancy
