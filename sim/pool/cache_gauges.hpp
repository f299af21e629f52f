// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/pool/block_pool.hpp"

namespace vacancy {

/// What stands in a cache at one moment.
struct CacheGauges {
  SlotCounts slots;
  std::uint64_t held_blocks = 0, peak_held_blocks = 0;
  std::uint64_t shared_blocks = 0;  // held by two or more tables
  std::uint64_t saved_blocks = 0;   // that would be held besides if each table had its own
  std::uint64_t mapped_pages = 0, useful_blocks = 0;  // where device pages are followed (PageUse)
  std::optional<Bytes> peak_held_bytes;               // where blocks differ in size
  // Since the start, for managers whose events do not name single blocks; 0 for the others.
  std::uint64_t allocated_blocks = 0, evicted_blocks = 0, evict_calls = 0;
  // Of a host tier, since the start.
  std::uint64_t host_hit_tokens = 0, host_written_blocks = 0, host_evicted_blocks = 0;
  std::optional<Bytes> host_bytes;  // over the link, where blocks differ in size
};

inline CacheGauges gauges_of(const BlockPool& pool) {
  CacheGauges gauges;
  gauges.slots = pool.slots();
  gauges.held_blocks = pool.held();
  gauges.peak_held_blocks = pool.peak_held();
  gauges.shared_blocks = pool.shared();
  gauges.saved_blocks = pool.saved();
  if (pool.pages()) {
    gauges.mapped_pages = pool.pages()->mapped();
    gauges.useful_blocks = pool.pages()->blocks();
  }
  return gauges;
}

}  // namespace vacancy
