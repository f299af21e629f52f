// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/prefix/radix/radix_node.hpp"

namespace vacancy {

/// Which evictable leaf goes first (S8).
enum class RadixPolicy { lru, lfu, fifo, slru, priority, mru, filo };

inline constexpr std::array<std::string_view, 7> radix_policy_names = {
    "lru", "lfu", "fifo", "slru", "priority", "mru", "filo"};

std::optional<RadixPolicy> radix_policy(std::string_view name);

/// The least key is evicted first. A tie of the policy's own key falls to the access time (S7), and
/// then to the creation time, which no two nodes share: it stands for the engine's node number,
/// since numbers rise with creation. With a counter as clock only a node and its ancestor can have
/// the same access time, and they are never leaves together.
struct EvictionKey {
  std::int64_t rank = 0;
  std::uint64_t access = 0;
  std::uint64_t created = 0;

  auto operator<=>(const EvictionKey&) const = default;
};

EvictionKey eviction_key(RadixPolicy policy, const RadixNode& node);

}  // namespace vacancy
