// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "sim/pool/keep_sets.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Why a block left a table.
enum class FreeCause { eviction, sequence_end, copy_on_write };

template <>
struct EnumNames<FreeCause> {
  static constexpr EnumName<FreeCause> table[] = {{FreeCause::eviction, "eviction"},
                                                  {FreeCause::sequence_end, "sequence_end"},
                                                  {FreeCause::copy_on_write, "copy_on_write"}};
};

/// How tokens came to change their slots.
enum class MoveKind { slide, fill_holes, fullest_blocks, copy_out, copy_on_write };

template <>
struct EnumNames<MoveKind> {
  static constexpr EnumName<MoveKind> table[] = {{MoveKind::slide, "slide"},
                                                 {MoveKind::fill_holes, "fill_holes"},
                                                 {MoveKind::fullest_blocks, "fullest_blocks"},
                                                 {MoveKind::copy_out, "copy_out"},
                                                 {MoveKind::copy_on_write, "copy_on_write"}};
};

// The event stream: everything that happens to a block, a slot or a sequence, in order. Spans and
// references are valid during the call only. Whoever follows all events can rebuild the state of
// the cache after each of them.

/// Virtual time moved on; all events until the next one happen at this time.
struct ClockAdvanced {
  SimTime now;
};
struct SequenceStarted {
  SequenceId sequence;
  std::uint32_t prompt_tokens;
};
/// Blocks joined the end of a table, in this order.
struct BlocksAllocated {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t first_entry;
  std::span<const BlockId> blocks;
};
/// Tokens [first, first + count) took the next slots of every table of the sequence.
struct TokensAppended {
  SequenceId sequence;
  std::uint32_t first;
  std::uint32_t count;
};
/// A decision took effect: the tokens that `keep` does not name became holes. Counts as in contract
/// §3: evicted_tokens = evicted_set_tokens / sets_per_table.
struct TokensEvicted {
  SequenceId sequence;
  std::uint32_t round;
  const KeepSets& keep;
  std::uint64_t evicted_set_tokens;  // over all sets of all tables
  std::uint32_t sets_per_table;
  std::uint64_t vacated_tokens;  // summed over tables
};
/// Survivors of one set of one table changed slots: sources[i] → destinations[i]. All reads of one
/// event happen before its writes. `tokens` counts them in (set, token) pairs.
struct TokensMoved {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t set;
  MoveKind kind;
  std::span<const std::uint32_t> sources, destinations;
};
/// A table dropped entries. `freed[i]` tells whether blocks[i] went back to the pool (its last
/// reference is gone) or is still held by another table. With `shifted` the later entries moved
/// up; without, null entries remain.
struct BlocksReleased {
  SequenceId sequence;
  std::uint32_t table;
  FreeCause cause;
  bool shifted;
  std::span<const std::uint32_t> entries;
  std::span<const BlockId> blocks;
  std::span<const bool> freed;
};
/// A shared block that was about to be written got a private copy.
struct BlockCopied {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t entry;
  BlockId from, to;
  std::uint32_t slots;
};
/// A table began to share the blocks of another sequence's table.
struct SequenceForked {
  SequenceId parent, child;
};
/// The end of a round: what it gave back. blocks_freed is net of blocks that reclaim allocated.
struct RoundFinished {
  SequenceId sequence;
  std::uint32_t round;
  std::int64_t blocks_freed;
  Bytes bytes_moved;
};
/// A round that was due could not evict: pinned prompt and protection leave nothing to choose.
struct RoundSkipped {
  SequenceId sequence;
};
/// How much of the attention of the next queries the kept tokens still receive.
struct QualityMeasured {
  SequenceId sequence;
  std::uint32_t round;
  double retained_attention_mass;
};
struct SequenceFinished {
  SequenceId sequence;
};
/// An append found too few free blocks; the sequence stays as it was.
struct OutOfMemory {
  SequenceId sequence;
  std::uint32_t position;  // of the token that has no slot
  std::uint32_t blocks_needed, blocks_free;
};

using Event =
    std::variant<ClockAdvanced, SequenceStarted, BlocksAllocated, TokensAppended, TokensEvicted,
                 TokensMoved, BlocksReleased, BlockCopied, SequenceForked, RoundFinished,
                 RoundSkipped, QualityMeasured, SequenceFinished, OutOfMemory>;

/// Hears every event, in order. Recorder, metrics, exports, the map and verifiers are observers;
/// the core knows none of them.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
};

}  // namespace vacancy
