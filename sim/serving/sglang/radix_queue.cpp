// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/sglang/radix_queue.hpp"

#include "sim/serving/sglang/request_tokens.hpp"

namespace vacancy {

namespace {

NamespaceId space_of(const WaitingRequest& waiting) {
  return NamespaceId(waiting.request->contents.tenant);
}

std::vector<std::uint32_t> output_limits(std::span<const WaitingRequest> waiting) {
  std::vector<std::uint32_t> limits;
  limits.reserve(waiting.size());
  for (const WaitingRequest& each : waiting)
    limits.push_back(each.request->output_tokens);
  return limits;
}

}  // namespace

void RadixQueue::look_up(std::span<const WaitingRequest> waiting) {
  if (tokens_.size() < waiting.size()) tokens_.resize(waiting.size());
  matched_.clear();
  nodes_.clear();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    tokens_[i].clear();
    append_tokens(*waiting[i].request, 0, waiting[i].known - 1, tokens_[i]);  // S10
    const RadixMatch match = tree_.match(space_of(waiting[i]), tokens_[i]);
    matched_.push_back(match.tokens);
    nodes_.push_back(match.node);
  }
}

std::vector<bool> RadixQueue::duplicates(std::span<const WaitingRequest> waiting) const {
  std::vector<WaitingPrefix> prefixes;
  prefixes.reserve(waiting.size());
  for (std::size_t i = 0; i < waiting.size(); ++i)
    prefixes.push_back({space_of(waiting[i]), tokens_[i], matched_[i]});
  return in_batch_duplicates(prefixes);
}

std::vector<std::uint32_t> RadixQueue::order(std::span<const WaitingRequest> waiting) {
  switch (policy_) {
    case QueuePolicy::lpm:
      look_up(waiting);
      return longest_prefix_order(matched_, duplicates(waiting));
    case QueuePolicy::dfs_weight:
      look_up(waiting);
      return dfs_weight_order(tree_, nodes_);
    case QueuePolicy::lof:
      return longest_output_order(output_limits(waiting));
    case QueuePolicy::random:
      return random_order(static_cast<std::uint32_t>(waiting.size()), key_, round_++);
    case QueuePolicy::fcfs:
      break;
  }
  return {};  // does not apply
}

}  // namespace vacancy
