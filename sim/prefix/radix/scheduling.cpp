// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/scheduling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace vacancy {
namespace {

template <class Before>
std::vector<std::uint32_t> sorted_indices(std::size_t count, Before&& before) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

}  // namespace

bool admission_fits(std::uint64_t extend_tokens, std::uint32_t new_tokens, std::uint32_t page_size,
                    std::uint64_t free_tokens, std::uint64_t evictable_tokens,
                    std::uint64_t reserved) {
  const std::uint64_t wanted = extend_tokens + std::min(new_tokens, clipped_new_tokens) + page_size;
  return wanted + reserved < free_tokens + evictable_tokens;
}

std::vector<std::uint32_t> retraction_order(std::span<const RunningLengths> running) {
  auto order = sorted_indices(running.size(), [&](std::uint32_t a, std::uint32_t b) {
    const RunningLengths &x = running[a], &y = running[b];
    return x.output_tokens != y.output_tokens ? x.output_tokens > y.output_tokens
                                              : x.input_tokens < y.input_tokens;
  });
  std::reverse(order.begin(), order.end());
  if (!order.empty()) order.pop_back();
  return order;
}

std::optional<QueuePolicy> queue_policy(std::string_view name) {
  const auto at = std::find(queue_policy_names.begin(), queue_policy_names.end(), name);
  if (at == queue_policy_names.end()) return std::nullopt;
  return static_cast<QueuePolicy>(at - queue_policy_names.begin());
}

QueuePolicy effective_queue_policy(QueuePolicy policy, std::size_t queue_length) {
  return policy == QueuePolicy::lpm && queue_length > lpm_queue_limit ? QueuePolicy::fcfs : policy;
}

std::vector<bool> in_batch_duplicates(std::span<const WaitingPrefix> waiting,
                                      const InBatchThresholds& thresholds) {
  RadixTree batch(1, RadixPolicy::lru);
  std::vector<bool> duplicates(waiting.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const WaitingPrefix& request = waiting[i];
    if (request.matched_tokens > thresholds.check) continue;
    if (batch.match(request.name_space, request.tokens).tokens >= thresholds.postpone) {
      duplicates[i] = true;
      continue;
    }
    SlotRuns nowhere;
    nowhere.append(SlotRun{0, request.tokens.size()});
    batch.insert(request.name_space, request.tokens, nowhere, {});
  }
  return duplicates;
}

std::vector<std::uint32_t> longest_prefix_order(std::span<const std::uint32_t> matched_tokens,
                                                const std::vector<bool>& last) {
  return sorted_indices(matched_tokens.size(), [&](std::uint32_t a, std::uint32_t b) {
    if (last[a] != last[b]) return !last[a];
    return !last[a] && matched_tokens[a] > matched_tokens[b];
  });
}

std::vector<std::uint32_t> dfs_weight_order(const RadixTree& tree,
                                            std::span<const RadixNodeId> nodes) {
  // Only nodes on the paths to the requests' nodes have a weight; the others are never visited.
  struct Weighted {
    std::uint32_t weight = 0;
    std::vector<std::uint32_t> requests;
    std::vector<RadixNodeId> children;
  };
  std::unordered_map<std::uint32_t, Weighted> weighted;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    weighted[nodes[i].value()].requests.push_back(i);
    for (RadixNodeId id = nodes[i]; id != no_radix_node; id = tree.node(id).parent)
      ++weighted[id.value()].weight;
  }
  // Found through the links between siblings, so that no order depends on the hash table's.
  for (auto& [id, entry] : weighted)
    for (RadixNodeId child = tree.node(RadixNodeId(id)).first_child; child != no_radix_node;
         child = tree.node(child).next_sibling)
      if (weighted.contains(child.value())) entry.children.push_back(child);
  for (auto& [id, entry] : weighted)
    std::stable_sort(entry.children.begin(), entry.children.end(), [&](auto a, auto b) {
      return weighted.at(a.value()).weight > weighted.at(b.value()).weight;
    });

  std::vector<std::uint32_t> order;
  order.reserve(nodes.size());
  if (nodes.empty()) return order;
  std::vector<std::pair<const Weighted*, std::size_t>> path = {
      {&weighted.at(RadixTree::root().value()), 0}};
  while (!path.empty()) {
    auto& [entry, next] = path.back();
    if (next < entry->children.size()) {
      const RadixNodeId child = entry->children[next++];
      path.emplace_back(&weighted.at(child.value()), 0);
    } else {
      order.insert(order.end(), entry->requests.begin(), entry->requests.end());
      path.pop_back();
    }
  }
  return order;
}

std::vector<std::uint32_t> longest_output_order(std::span<const std::uint32_t> new_tokens) {
  return sorted_indices(new_tokens.size(), [&](std::uint32_t a, std::uint32_t b) {
    return new_tokens[a] > new_tokens[b];
  });
}

std::vector<std::uint32_t> random_order(std::uint32_t count, PhiloxKey key, std::uint32_t round) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  // Fisher and Yates, from the end.
  for (std::uint32_t left = count; left > 1; --left) {
    const std::uint64_t word = philox4x32_10({0, 0, round, left}, key)[0];
    std::swap(order[left - 1], order[word * left >> 32]);
  }
  return order;
}

}  // namespace vacancy
