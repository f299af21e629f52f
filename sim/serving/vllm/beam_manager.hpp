// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/serving/vllm/beam_group.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "sim/workload/beam_parents.hpp"

namespace vacancy {

/// vLLM's memory manager with requests in beam search, as v0 had them: a request is one sequence
/// until its first output token, then a BeamGroup. (v1 runs every candidate of every step as a
/// request of its own, which finds its prefix in the cache again: it shares full blocks only, while
/// they are cached.)
///
/// Blocks with output tokens are not cached: their contents differ from candidate to candidate. A
/// group that was preempted finds its prompt again and computes the rest anew, shared tokens once.
class BeamManager final : public HashChainManager {
 public:
  BeamManager(HashChainOptions options, Bytes block_bytes, const BeamParents& parents,
              Observer& observer);

  bool admit(const Request& request, std::uint32_t known, std::uint32_t count,
             bool others_run) override;
  bool extend(const Request& request, std::uint32_t computed, std::uint32_t count,
              std::uint32_t known) override;
  void produced(const Request& request, std::uint32_t known) override;
  void preempt(const Request& request) override;
  void finish(const Request& request) override;
  std::uint32_t stored_blocks(const Request& request, std::uint32_t computed) const override;
  std::span<const std::uint32_t> candidate_starts(const Request& request) const override;

 private:
  /// Null before the first output token.
  BeamGroup* group(const Request& request) const {
    return request.id.value() < groups_.size() ? groups_[request.id.value()].get() : nullptr;
  }
  void grow(BeamGroup& group, const Request& request, std::uint32_t from, std::uint32_t to);

  BeamParents parents_;
  std::vector<std::unique_ptr<BeamGroup>> groups_;  // by request
  std::vector<std::uint32_t> chosen_;               // parents of a step's candidates
};

}  // namespace vacancy
