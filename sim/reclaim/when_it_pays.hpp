// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/reclaim/reclaimer.hpp"

namespace vacancy {

/// Leaves survivors where they are until a sequence has holes enough; blocks that became empty
/// return at once. A compaction fills all holes that it may, so that the next one comes when as
/// many have come up again: the threshold is its own hysteresis.
class WhenItPays final : public Reclaimer {
 public:
  WhenItPays(std::unique_ptr<Reclaimer> mover, const ReclaimRules& rules)
      : mover_(std::move(mover)), rules_(rules) {}

  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override;
  bool may_decline() const override { return mover_->may_decline(); }
  WhenFull when_full() const override { return mover_->when_full(); }

 private:
  bool pays(const CachedSequence& sequence, const BlockPool& pool) const;

  std::unique_ptr<Reclaimer> mover_;
  ReclaimRules rules_;
};

}  // namespace vacancy
