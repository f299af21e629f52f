// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy {

/// Figures that only the report for people needs: what the rounds found, and what they left.
class RunFacts final : public Observer {
 public:
  explicit RunFacts(const KvCache& cache) : cache_(cache) {}

  void on_event(const Event& event) override;

  std::uint64_t tokens_appended() const { return tokens_appended_; }
  /// Blocks that the sequences held when their rounds began, summed over rounds.
  std::uint64_t blocks_before_rounds() const { return blocks_before_rounds_; }
  /// The mean of the held slots at the ends of the steps that had a round, over the later half of
  /// these steps: what a run that has become steady holds just after a round.
  std::optional<double> steady_held_slots() const;

 private:
  const KvCache& cache_;
  std::uint64_t tokens_appended_ = 0, blocks_before_rounds_ = 0;
  bool round_in_step_ = false;
  std::vector<std::uint64_t> held_after_rounds_;
};

/// Blocks that the cache's sequences would hold if their survivors stood side by side.
std::uint64_t blocks_if_packed(const KvCache& cache);

}  // namespace vacancy
