// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sim/prefix/replacement/policy.hpp"
#include "sim/registry/entry.hpp"

namespace vacancy {

/// What a policy is made with besides its own parameters.
struct ReplacementContext {
  /// Entries that the cache holds when it is full; their ids are below.
  std::uint32_t entries = 0;
  /// Entries with consecutive ids that share a device page; 0: pages are not counted.
  std::uint32_t blocks_per_page = 0;
};

/// A registered replacement policy of the prefix cache.
struct ReplacementEntry {
  EntryInfo info;
  /// It reads BlockAccess::next_use: only a cache that knows the future can have it.
  bool needs_next_use = false;
  /// It reads ReplacementContext::blocks_per_page, and without is an lru.
  bool needs_pages = false;
  std::unique_ptr<ReplacementPolicy> (*make)(const ParameterValues&,
                                             const ReplacementContext&) = nullptr;
};

/// All policies, in the order in which `vacancy list` shows them.
std::span<const ReplacementEntry> replacement_policies();
/// The entry of that name, or null.
const ReplacementEntry* find_replacement(std::string_view name);

}  // namespace vacancy
