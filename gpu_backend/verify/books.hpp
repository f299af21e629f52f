// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu_backend/verify/free_list.hpp"
#include "gpu_backend/verify/row_contents.hpp"
#include "sim/pool/kv_cache.hpp"

namespace vacancy::verify {

inline constexpr std::int32_t no_token = -1, no_block = -1;

/// What an event says and the books do not bear out.
struct BookFault {
  std::optional<std::uint32_t> table, slot;
  std::optional<std::uint32_t> block;
  std::string expected, found;
  std::optional<SequenceId> sequence = {};  // if it is not the event's

  /// Of no single table, slot or block.
  static BookFault of(std::string expected, std::string found) {
    return {{}, {}, {}, std::move(expected), std::move(found)};
  }
};

/// What an engine says of its cache, beside the cache's own configuration.
struct CacheRules {
  bool order_known = true;        // no replacement chooses among free blocks
  std::uint32_t host_blocks = 0;  // room for copies of cached blocks
  /// Tokens that a query sees, itself included, by table; nothing, or no such table: all.
  std::vector<std::optional<std::uint32_t>> windows = {};
};

/// The cache as the event stream alone tells it: written for reading, with no line of sim/pool's
/// tables. Every event is checked against what is known before it is believed; a BookFault is
/// thrown.
class Books {
 public:
  struct Table {
    std::vector<std::int32_t> blocks;                 // by entry
    std::vector<std::vector<std::int32_t>> token_at;  // [set][slot]
    std::uint32_t length = 0;                         // slots in use
  };
  struct Sequence {
    std::vector<Table> tables;
    std::vector<RowId> rows;  // of each token so far, evicted ones too
    std::uint32_t prompt_tokens = 0, rounds = 0;
    /// First tokens that nobody had to compute when it was admitted: adopted, or from the host.
    std::uint32_t present = 0;
    bool adopting = false;  // the tokens that come next stand in adopted blocks
    bool watched = true;    // the memory has its rows
    // Of the round that is under way.
    std::int64_t freed = 0, taken = 0;
    Bytes moved;

    std::uint32_t tokens() const { return static_cast<std::uint32_t>(rows.size()); }
  };
  /// Of the run so far, under the names of its summary.
  struct Totals {
    std::uint64_t rounds = 0, evicted_set_tokens = 0, moved_set_tokens = 0;
    std::uint64_t blocks_allocated = 0, blocks_taken = 0;
    std::int64_t blocks_freed_by_eviction = 0;
    Bytes bytes_moved;  // read and written, copies of shared blocks too
    std::uint64_t swapped_out_blocks = 0, swapped_in_blocks = 0;
    std::uint64_t host_blocks_written = 0, host_blocks_evicted = 0, host_blocks_loaded = 0;
  };
  /// A survivor's way, from slot to slot of its table.
  struct Move {
    std::int32_t source, target;
  };
  using SetMoves = std::vector<std::vector<Move>>;  // [set]
  /// The first slots of a block, to those of another: of the same memory, or of the host's.
  struct BlockCopy {
    std::int32_t from, to, slots;
  };
  using BlockCopies = std::vector<BlockCopy>;
  /// A block of host memory.
  struct HostBlock {
    std::vector<RowId> rows;  // of its first slots
    bool watched = true;      // the memory has them
  };
  /// What a sequence had when it was swapped out.
  struct SwappedSequence {
    std::vector<RowId> rows;
    std::vector<std::uint32_t> host_blocks;  // by entry
  };
  /// A request on the host: its sequences, candidates of a beam search all together. The events do
  /// not number its blocks there, so that these books do.
  struct SwappedRequest {
    std::uint32_t blocks = 0, tokens = 0;
    bool watched = true;
    std::map<SequenceId, SwappedSequence> sequences;
  };

  Books(const CacheConfig& cache, CacheRules rules);

  const std::map<SequenceId, Sequence>& sequences() const { return sequences_; }
  /// Throws a BookFault if there is no such sequence, or it has no such table.
  const Sequence& at(SequenceId sequence) const;
  Sequence& at(SequenceId sequence);
  Table& table_of(SequenceId sequence, std::uint32_t table);
  std::uint32_t holders(std::uint32_t block) const {
    return block < holders_.size() ? holders_[block] : 0;
  }
  std::uint32_t held() const { return held_; }
  const Totals& totals() const { return totals_; }
  const FreeList& free_list() const { return free_; }
  const std::map<std::uint32_t, HostBlock>& host() const { return host_; }
  /// Null if the request was not swapped out.
  const SwappedRequest* swapped_out(SequenceId request) const;
  /// Its sequence in the cache; in beam search that of each candidate.
  std::vector<SequenceId> sequences_of(SequenceId request) const;
  bool follows_order() const { return rules_.order_known; }
  std::uint32_t block_size() const { return block_size_; }
  const CacheLayout& layout() const { return layout_; }

  void apply(const SequenceStarted& event);
  void apply(const BlocksAllocated& event);
  void apply(const BlocksAdopted& event);
  void apply(const BlocksCached& event);
  void apply(const BlocksUncached& event);
  void apply(const CacheCleared& event);
  /// Before rows are made of as many tokens, or masks read of as many sets.
  void check(const TokensAppended& event) const;
  void check(const TokensEvicted& event) const;
  /// `rows`: whose contents the tokens have, one each. The event was checked.
  void apply(const TokensAppended& event, const std::vector<RowId>& rows);
  void apply(const RoundStarted& event);
  void apply(const TokensEvicted& event);  // was checked
  SetMoves apply(const TablePacked& event);
  SetMoves apply(const TableCopiedOut& event);
  SetMoves apply(const TokensMoved& event);
  void apply(const BlocksReleased& event);
  void apply(const BlockCopied& event);
  void apply(const SequenceForked& event);
  void apply(const RoundFinished& event);
  void leave(SequenceId sequence);
  /// What is copied: from the device's blocks to the host's, or back.
  BlockCopies apply(const HostBlocksStored& event);
  BlockCopies apply(const HostBlocksLoaded& event);
  BlockCopies apply(const SequenceSwappedOut& event);
  BlockCopies apply(const SequenceSwappedIn& event);
  void apply(const RequestAdmitted& event);
  /// The request has ended: on the host too.
  void leave_host(SequenceId request);

 private:
  void hold(std::uint32_t block);
  void allocate(std::uint32_t table, BlockId block);
  void check_written(const Table& table, std::uint32_t number, std::uint32_t slot) const;
  void check_released(const Sequence& sequence, const BlocksReleased& event,
                      std::uint32_t slot) const;
  void swap_in(const SwappedSequence& swapped, Sequence& sequence, BlockCopies& copies);
  void check_first_slot(std::uint32_t table, std::uint32_t slot) const;
  void set_length(Table& table, std::uint32_t number, std::uint32_t length);
  static void check_length(std::uint32_t table, std::uint32_t counted, std::uint32_t told);
  /// Enters survivors that moved, if the event counts as many.
  void count_moved(SequenceId sequence, std::uint32_t table, std::uint64_t counted,
                   std::uint64_t told);

  std::uint32_t block_size_;
  Bytes block_bytes_;
  CacheLayout layout_;
  CacheRules rules_;
  FreeList free_;
  std::map<SequenceId, Sequence> sequences_;
  std::vector<std::uint32_t> holders_;  // tables that have a block
  std::uint32_t held_ = 0;
  std::map<std::uint32_t, HostBlock> host_;
  std::map<SequenceId, SwappedRequest> swapped_;  // by request
  Totals totals_;
};

}  // namespace vacancy::verify
