// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy::gui {

/// What is known of a block at one moment besides its slots; a set of bits.
enum BlockFlag : std::uint8_t {
  held = 1,    // a table refers to it
  cached = 2,  // its contents can be found by a prefix index
  pinned = 4,  // a prompt that eviction must not touch, or a block that the index pins, lies in it
  host_tier = 8  // its contents are in the host's memory (its id lies in the lane below the pool)
};

inline constexpr std::uint32_t no_sequence = UINT32_MAX;

enum class SlotState : std::uint8_t { live, hole, tail };

/// One slot of a held block.
struct SlotView {
  SlotState state = SlotState::tail;
  std::uint32_t position = UINT32_MAX;  // of the token that is or was here; UINT32_MAX: none
  std::uint32_t holders = 0;            // (table, set) pairs that keep the token
  float score = 0;                      // of the last decision about it; NaN: none was made
  std::int64_t evicted_ns = -1;         // virtual time since when it is a hole; -1: it is none
};

/// The pool at one moment of a run, by block id. Each span has one element a block, those of other
/// windows' pools and of the host behind the device's own. The sums of a block: live + holes + tail
/// = block_size, where it is held: holes = fill - live, tail = block_size - fill.
struct PoolView {
  std::uint32_t block_size = 0;
  std::uint64_t event = 0;                    // events that have happened
  std::int64_t time_ns = 0;                   // virtual
  std::span<const std::uint16_t> live, fill;  // slots with a holder; slots before the table's end
  std::span<const std::uint8_t> flags;        // BlockFlag
  std::span<const std::uint32_t> references;  // tables that hold it
  std::span<const std::uint32_t>
      owner;  // the sequence that holds it, of several the first; no_sequence
  std::span<const std::int64_t> changed_ns;  // of the last event that touched it; -1: none did
};

}  // namespace vacancy::gui
