// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// Defects of token eviction inside an engine's requests that users reported (spec policies §4.5,
/// E-31 to E-36). A run has none of them unless it is asked to, to show what they do.
enum class EvictionFault : std::uint8_t {
  reclaim_orphan,          // E-31: no room is kept for tokens in flight
  offset_overstated,       // E-32: blocks are allocated by a length that is too short
  barrier_bypass,          // E-33: a step does not wait for the compaction before it
  prefill_guard,           // E-34: a pinned prompt that fills the budget is cut
  stale_after_preemption,  // E-35: a round compacts blocks that a preemption took away
  silent_off               // E-36: after a round with nothing to evict there is none any more
};

inline constexpr std::size_t eviction_faults = 6;

template <>
struct EnumNames<EvictionFault> {
  static constexpr EnumName<EvictionFault> table[eviction_faults] = {
      {EvictionFault::reclaim_orphan, "reclaim_orphan"},
      {EvictionFault::offset_overstated, "offset_overstated"},
      {EvictionFault::barrier_bypass, "barrier_bypass"},
      {EvictionFault::prefill_guard, "prefill_guard"},
      {EvictionFault::stale_after_preemption, "stale_after_preemption"},
      {EvictionFault::silent_off, "silent_off"}};
};

class FaultSet {
 public:
  FaultSet() = default;
  FaultSet(std::initializer_list<EvictionFault> faults) {
    for (const EvictionFault fault : faults)
      insert(fault);
  }

  void insert(EvictionFault fault) { bits_ = static_cast<std::uint8_t>(bits_ | bit(fault)); }
  bool has(EvictionFault fault) const { return (bits_ & bit(fault)) != 0; }
  bool any() const { return bits_ != 0; }

 private:
  static std::uint8_t bit(EvictionFault fault) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(fault));
  }

  std::uint8_t bits_ = 0;
};

}  // namespace vacancy
