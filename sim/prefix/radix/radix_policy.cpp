// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/radix_policy.hpp"

#include <algorithm>
#include <cstddef>

namespace vacancy {
namespace {

/// SLRU: a node is in the protected segment from its second hit on.
constexpr std::uint32_t protected_hits = 2;

std::int64_t rank(RadixPolicy policy, const RadixNode& node) {
  const auto access = static_cast<std::int64_t>(node.access);
  const auto created = static_cast<std::int64_t>(node.created);
  switch (policy) {
    case RadixPolicy::lru:
      return access;
    case RadixPolicy::lfu:
      return node.hit_count;
    case RadixPolicy::fifo:
      return created;
    case RadixPolicy::slru:
      return node.hit_count >= protected_hits ? 1 : 0;
    case RadixPolicy::priority:
      return node.priority;
    case RadixPolicy::mru:
      return -access;
    case RadixPolicy::filo:
      return -created;
  }
  return 0;
}

}  // namespace

std::optional<RadixPolicy> radix_policy(std::string_view name) {
  const auto at = std::find(radix_policy_names.begin(), radix_policy_names.end(), name);
  if (at == radix_policy_names.end()) return std::nullopt;
  return static_cast<RadixPolicy>(at - radix_policy_names.begin());
}

EvictionKey eviction_key(RadixPolicy policy, const RadixNode& node) {
  return {rank(policy, node), node.access, node.created};
}

}  // namespace vacancy
