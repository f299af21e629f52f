// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "sim/pool/content_id.hpp"
#include "sim/pool/eviction_fault.hpp"
#include "sim/pool/keep_sets.hpp"
#include "sim/pool/slot_move.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Why a block left a table.
enum class FreeCause { eviction, window, preemption, sequence_end };

template <>
struct EnumNames<FreeCause> {
  static constexpr EnumName<FreeCause> table[] = {{FreeCause::eviction, "eviction"},
                                                  {FreeCause::window, "window"},
                                                  {FreeCause::preemption, "preemption"},
                                                  {FreeCause::sequence_end, "sequence_end"}};
};

// The event stream: everything that happens to a block, a slot or a sequence, in order. Spans and
// references are valid during the call only. Whoever follows all events can rebuild the state of
// the cache after each of them.

/// The tokens of a step have their slots and its time has passed: means over time weigh this state.
/// The rounds of the step and the sequences that leave follow at this time.
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
/// A table without entries starts with blocks whose contents were cached; null_block where it does
/// not need the tokens. TokensAppended follows.
struct BlocksAdopted {
  SequenceId sequence;
  std::uint32_t table;
  std::span<const BlockId> blocks;
};
/// The blocks of a table's entries from `first_entry` on are complete and can be found by their
/// contents.
struct BlocksCached {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t first_entry;
  std::span<const BlockId> blocks;
  std::span<const ContentId> contents;  // of each block
};
/// Why a block lost its cached contents.
enum class UncacheCause {
  allocation,  // it is about to be allocated anew
  rewrite,     // its slots were written over
  eviction,    // it is about to be freed by eviction
  expiry,      // free, and its time ran out
  quota        // free, and its tenant had more such blocks than it may
};

template <>
struct EnumNames<UncacheCause> {
  static constexpr EnumName<UncacheCause> table[] = {{UncacheCause::allocation, "allocation"},
                                                     {UncacheCause::rewrite, "rewrite"},
                                                     {UncacheCause::eviction, "eviction"},
                                                     {UncacheCause::expiry, "expiry"},
                                                     {UncacheCause::quota, "quota"}};
};

/// Blocks lost their cached contents, in this order.
struct BlocksUncached {
  std::span<const BlockId> blocks;
  UncacheCause cause;
};
/// The contents of a free block were copied from device memory to the host's: the two blocks
/// swapped their memories, so that ids go with contents. `stored`: they can be found there.
struct BlockOffloaded {
  std::uint32_t table;
  BlockId block, other;
  bool stored;
};
/// The contents of a block, which a sequence is about to adopt, were copied back to device memory
/// that was `other`'s.
struct BlockOnboarded {
  std::uint32_t table;
  BlockId block, other;
};
/// All blocks lost their cached contents: an engine's prefix cache was reset. None is held.
struct CacheCleared {};
/// Tokens [first, first + count) took the next slots of every table of the sequence.
struct TokensAppended {
  SequenceId sequence;
  std::uint32_t first;
  std::uint32_t count;
};
/// A sequence is due and its policy chose; the state is still the one before.
struct RoundStarted {
  SequenceId sequence;
  std::uint32_t round;
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
/// A table closed ranks: in every set the survivors at or beyond `first_slot` took the slots
/// first_slot, first_slot + 1, … in their old order, and the table now ends at `length`. Reads and
/// writes are those of a forward copy: no destination lies beyond its source.
struct TablePacked {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t first_slot;
  std::uint32_t length;
  std::uint64_t moved_set_tokens;  // survivors that changed their slot, over the table's sets
};
/// Fresh blocks joined the end of a table, and in every set the survivors at or beyond `first_slot`
/// were copied there, to the slots target_slot, target_slot + 1, … in their old order. The table
/// now ends at `length`; the entries between the two hold nothing and leave next.
struct TableCopiedOut {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t first_slot, target_slot;
  std::uint32_t length;
  std::uint64_t moved_set_tokens;  // all that were copied, over the table's sets
};
/// Survivors of a table took other slots. It now ends at `length`; what lies beyond holds nothing
/// and leaves next.
struct TokensMoved {
  SequenceId sequence;
  std::uint32_t table;
  const TableMoves& moves;
  std::uint32_t length;
  std::uint64_t moved_set_tokens;  // over the table's sets
};
/// A table dropped `entries` (ascending); blocks[i] stood at entries[i], null_block where nothing
/// did. `freed` of them went back to the pool, the others are still held by another table. If
/// `shifted`, later entries moved up; if not, null entries remain.
struct BlocksReleased {
  SequenceId sequence;
  std::uint32_t table;
  FreeCause cause;
  bool shifted;
  std::span<const std::uint32_t> entries;
  std::span<const BlockId> blocks;
  std::uint32_t freed;
};
/// A shared block that was about to be written, by an append or by a reclaimer, got a private copy.
struct BlockCopied {
  SequenceId sequence;
  std::uint32_t table;
  std::uint32_t entry;
  BlockId from, to;
  std::uint32_t slots;
};
/// The child's tables share every block of the parent's. Candidates of a beam search come so
/// (sequence_ids.hpp), also into the place of one that finished.
struct SequenceForked {
  SequenceId parent, child;
};
/// The end of a round: what it gave back. blocks_freed is net of blocks that reclaim allocated.
struct RoundFinished {
  SequenceId sequence;
  std::uint32_t round;
  std::int64_t blocks_freed;
  Bytes bytes_moved;  // read + written by the reclaimer, without what BlockCopied tells
  MoveCause cause = MoveCause::slide;
  std::uint64_t blocks_taken = 0;  // allocated by the reclaimer
};
/// Why a round that was due did not evict.
enum class SkipCause {
  nothing_to_choose,  // pinned prompt and protection fill the budget
  shared_blocks,      // compaction would touch blocks that another table shares, and may not
  pool_full           // compaction needs more free blocks than there are: the round comes later
};

template <>
struct EnumNames<SkipCause> {
  static constexpr EnumName<SkipCause> table[] = {
      {SkipCause::nothing_to_choose, "nothing_to_choose"},
      {SkipCause::shared_blocks, "shared_blocks"},
      {SkipCause::pool_full, "pool_full"}};
};

struct RoundSkipped {
  SequenceId sequence;
  SkipCause cause = SkipCause::nothing_to_choose;
};
/// A defect that the run was asked for did damage. `count`: tokens whose slots were freed while
/// they were in flight; tokens that a step computed before their block was there; tokens of a step
/// that ran across a compaction of the request; pinned tokens evicted; blocks that the compacted
/// request did not hold; rounds that should have been (1).
struct FaultDamage {
  EvictionFault fault;
  SequenceId sequence;
  std::uint32_t count;
};
/// How much of the attention of the next queries the kept tokens still receive, and how far the
/// attention output moved: ‖full − kept‖ / ‖full‖, NaN where the source has no values. Of these
/// queries, the share whose next token is the one that a full cache would have picked; NaN where
/// tokens do not come from the evicted cache.
struct QualityMeasured {
  SequenceId sequence;
  std::uint32_t round;
  double retained_attention_mass;
  double attention_output_error;
  double next_token_agreement;
};
/// The sequence has all its tokens; its blocks are still held.
struct SequenceCompleted {
  SequenceId sequence;
};
/// The sequence left the cache.
struct SequenceFinished {
  SequenceId sequence;
};
/// The sequence left the cache and will start anew.
struct SequencePreempted {
  SequenceId sequence;
};

/// The blocks that hold the first `tokens` tokens of a running sequence, in beam search of all its
/// request's candidates, were copied to the host; SequencePreempted follows. Nothing of it will be
/// computed again.
struct SequenceSwappedOut {
  SequenceId sequence;
  std::uint32_t blocks;
  std::uint32_t tokens = 0;
};
/// The sequence got as many blocks again and its contents with them, before RequestAdmitted.
struct SequenceSwappedIn {
  SequenceId sequence;
  std::uint32_t blocks;
};

// Copies of full blocks in host memory, found by their contents. The host's blocks are numbered
// from 0 on.

/// Full blocks of the sequence, those at `entries` of its table, are copied to `host_blocks` once
/// their tokens are computed; `evicted` others went for them. Its own stay where they are.
struct HostBlocksStored {
  SequenceId sequence;
  std::uint32_t blocks, evicted;
  std::span<const std::uint32_t> entries = {}, host_blocks = {};
};
/// Contents that the sequence's lookup found in `host_blocks` are copied into blocks of its own,
/// from `first_entry` on, before RequestAdmitted.
struct HostBlocksLoaded {
  SequenceId sequence;
  std::uint32_t blocks;
  std::uint32_t first_entry = 0;
  std::span<const std::uint32_t> host_blocks = {};
};

// What a scheduler decides, where one serves requests.

/// A request joined the waiting queue.
struct RequestQueued {
  SequenceId sequence;
  SimTime arrival;
  std::uint32_t prompt_tokens, output_tokens;
};
/// A scheduler asked how much of a waiting request stands in the cache, whether it then was
/// admitted or not. Tokens.
struct PrefixLookedUp {
  SequenceId sequence;
  std::uint32_t known, hit;
};
/// A waiting request got blocks and runs from now on. `again`: it was preempted before. `restored`
/// tokens came back from the host; then nothing was looked up. Tokens.
struct RequestAdmitted {
  SequenceId sequence;
  std::uint32_t known, hit;
  bool again;
  std::uint32_t restored = 0;
};
/// The part of a step that is one request's; in beam search each candidate has one, in a row.
struct ScheduledTokens {
  SequenceId sequence;
  std::uint32_t context;     // slots that attention reads besides: tokens so far, less evicted ones
  std::uint32_t tokens;      // computed in the step
  std::uint32_t recomputed;  // of these, tokens that a preemption had thrown away
  bool produces;             // the step yields the request's next output token
  std::uint32_t candidate = 0;
};
/// A step was put together; it runs now, or when the one before it ends.
struct StepComposed {
  std::uint64_t step;
  std::span<const ScheduledTokens> scheduled;
  std::uint32_t waiting, running;  // requests, after composing
};
/// A step's output was read. `produced`: the requests that got a token, in order of scheduling.
struct StepCompleted {
  std::uint64_t step;
  std::span<const SequenceId> produced;
};
/// The request can never run: alone in the pool, it finds too few blocks.
struct RequestRejected {
  SequenceId sequence;
};

/// An append found too few free blocks and nothing could be done about it: the run ends here.
struct OutOfMemory {
  SequenceId sequence;
  std::uint32_t position;  // of the token that has no slot
  std::uint64_t blocks_needed, blocks_free;
};

using Event =
    std::variant<ClockAdvanced, SequenceStarted, BlocksAllocated, BlocksAdopted, BlocksCached,
                 BlocksUncached, BlockOffloaded, BlockOnboarded, CacheCleared, TokensAppended,
                 RoundStarted, TokensEvicted, TablePacked, TableCopiedOut, TokensMoved,
                 BlocksReleased, BlockCopied, SequenceForked, RoundFinished, RoundSkipped,
                 FaultDamage, QualityMeasured, SequenceCompleted, SequenceFinished,
                 SequencePreempted, SequenceSwappedOut, SequenceSwappedIn, HostBlocksStored,
                 HostBlocksLoaded, RequestQueued, PrefixLookedUp, RequestAdmitted, StepComposed,
                 StepCompleted, RequestRejected, OutOfMemory>;

/// Hears every event, in order. Recorder, metrics, exports, the map and verifiers are observers;
/// the core knows none of them.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
};

}  // namespace vacancy
