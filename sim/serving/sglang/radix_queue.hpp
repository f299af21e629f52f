// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/prefix/radix/scheduling.hpp"
#include "sim/serving/waiting_order.hpp"

namespace vacancy {

/// The orders of SGLang's waiting queue (spec engines S12).
class RadixQueue final : public WaitingOrder {
 public:
  /// `key`: of the draws of QueuePolicy::random.
  RadixQueue(QueuePolicy policy, PhiloxKey key, RadixTree& tree)
      : policy_(policy), key_(key), tree_(tree) {}

  QueuePolicy policy() const { return policy_; }
  bool applies(std::size_t waiting) const override {
    return effective_queue_policy(policy_, waiting) != QueuePolicy::fcfs;
  }
  std::vector<std::uint32_t> order(std::span<const WaitingRequest> waiting) override;

 private:
  /// Looks every request up, which refreshes what it finds (S2).
  void look_up(std::span<const WaitingRequest> waiting);
  std::vector<bool> duplicates(std::span<const WaitingRequest> waiting) const;

  QueuePolicy policy_;
  PhiloxKey key_;
  RadixTree& tree_;
  std::uint32_t round_ = 0;
  // By place in the queue.
  std::vector<TokenRuns> tokens_;  // what the lookup was given
  std::vector<std::uint32_t> matched_;
  std::vector<RadixNodeId> nodes_;
};

}  // namespace vacancy
