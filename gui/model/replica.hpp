// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/model/replica_queue.hpp"
#include "gui/model/replica_shape.hpp"
#include "gui/model/replica_tables.hpp"
#include "gui/model/shared_pages.hpp"
#include "gui/model/slot_classes.hpp"
#include "sim/pool/events.hpp"

namespace vacancy::gui {

class UndoJournal;

/// Blocks and slots of the whole cache, and sums over the events so far.
struct ReplicaFigures {
  // At this moment.
  std::uint64_t blocks = 0;  // of the device
  std::uint64_t held_blocks = 0, shared_blocks = 0, saved_blocks = 0;
  std::uint64_t cached_free_blocks = 0;
  std::uint64_t host_blocks = 0;  // of the host's memory that hold contents
  SlotClasses slots;
  std::uint64_t sequences = 0;
  std::uint64_t waiting = 0, running = 0;  // requests, after the last step was composed
  // Since the start.
  std::uint64_t steps = 0, rounds = 0, skipped_rounds = 0;
  std::uint64_t evicted_set_tokens = 0, vacated_tokens = 0;
  std::int64_t blocks_freed = 0;  // by eviction, less those that reclaim took
  std::uint64_t moved_bytes = 0;  // by reclaim
  std::uint64_t produced_tokens = 0, appended_tokens = 0;
  std::uint64_t known_tokens = 0, hit_tokens = 0;  // of admissions
  std::uint64_t admitted = 0, preempted = 0, finished = 0, rejected = 0;
  std::uint64_t out_of_memory = 0;

  std::uint64_t free_blocks() const { return blocks - held_blocks; }
  bool operator==(const ReplicaFigures&) const = default;
};

/// The cache rebuilt from the event stream: what PoolView shows and all that stands behind it. A
/// value that one thread has; its big parts, blocks by the page, are shared with keyframes and
/// other replicas, which is safe, since nobody writes what two of them have.
class Replica {
 public:
  explicit Replica(const ReplicaShape& shape);
  /// Another value of the same moment; a pointer for every 512 blocks, and O(sequences).
  Replica(const Replica& other);
  Replica& operator=(const Replica& other);
  Replica(Replica&&) = default;
  Replica& operator=(Replica&&) = default;
  ~Replica() = default;

  /// The same moment as a constant that several threads may copy at a time, and do no more with: a
  /// keyframe. What is big in it is packed.
  std::shared_ptr<const Replica> frozen() const;
  /// About how much memory a frozen one needs where another one (null: none) stays.
  std::size_t bytes_beside(const Replica* other) const;

  /// The next event. With a journal, undo() of the same journal takes it back.
  void apply(const vacancy::Event& event, UndoJournal* journal = nullptr);
  /// Takes back the last event that was applied with the journal and not taken back yet.
  void undo(UndoJournal& journal);

  const ReplicaShape& shape() const { return shape_; }
  std::uint64_t event() const { return event_; }     // that happened
  std::int64_t time_ns() const { return time_ns_; }  // the clock
  const ReplicaFigures& figures() const { return figures_; }
  std::uint32_t blocks() const { return blocks_; }
  /// Valid until the next change.
  PoolView view() const;

  /// The slots of a block, one element each; of a free block: all tail. `scores` are not in events.
  void slots(std::uint32_t block, std::vector<SlotView>& out) const;
  /// Virtual time of its last allocation; -1: never allocated.
  std::int64_t allocated_ns(std::uint32_t block) const {
    return page_of(block).allocated_ns[block % BlockPage::blocks];
  }

  /// Where a block stands in a table.
  struct Place {
    std::uint32_t sequence = no_sequence, table = 0, entry = 0;
    bool operator==(const Place&) const = default;
  };
  /// Of all tables that hold it, in the order in which they got it.
  std::vector<Place> places(std::uint32_t block) const;
  /// By number; each has one table for each thing that owns one.
  const std::map<std::uint32_t, std::shared_ptr<ReplicaSequence>>& sequences() const {
    return sequences_;
  }
  /// Null if it is not in the cache.
  const ReplicaSequence* sequence(std::uint32_t id) const;
  /// Blocks of a sequence, without null entries, table after table.
  std::vector<std::uint32_t> blocks_of(std::uint32_t sequence) const;
  /// Free blocks in the order in which they would be allocated, at most so many.
  std::vector<std::uint32_t> free_queue(std::size_t most = SIZE_MAX) const;
  const ReplicaQueue& queue() const { return queue_; }

  /// Equal for equal states, however they came about. Reads everything.
  std::uint64_t hash() const;

 private:
  friend class ReplicaEvents;
  struct Holder {
    std::uint32_t sequence, table;
    bool operator==(const Holder&) const = default;
  };

  void resize(std::uint32_t blocks);
  const BlockPage& page_of(std::uint32_t block) const { return pages_[block / BlockPage::blocks]; }
  BlockPage& own_page_of(std::uint32_t block) {
    return pages_.own(block / BlockPage::blocks, writer_);
  }
  /// The one that has a block with one holder.
  Holder only_holder(std::uint32_t block) const {
    const std::uint32_t at = block % BlockPage::blocks;
    return {page_of(block).owner[at], page_of(block).owner_table[at]};
  }
  /// Calls f(table) for the tables of all sequences in which some table keeps token numbers.
  template <class F>
  void rewrite_tables(F&& f);

  ReplicaShape shape_;
  /// A number of this replica: what it may write is marked so. Mutable, since by being copied it
  /// loses the right to write what both then have; 0 in a frozen one, which never had it.
  mutable std::uint64_t writer_;
  std::uint64_t event_ = 0;
  std::int64_t time_ns_ = 0;
  ReplicaFigures figures_;
  std::uint32_t blocks_ = 0;
  SharedPages<BlockPage> pages_;  // behind the last block untouched
  /// Of blocks with two holders or more, all of them.
  std::unordered_map<std::uint32_t, std::vector<Holder>> shared_;
  ReplicaQueue queue_;
  std::map<std::uint32_t, std::shared_ptr<ReplicaSequence>> sequences_;
};

}  // namespace vacancy::gui
