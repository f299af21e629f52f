// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/pool/reuse_counters.hpp"
#include "sim/prefix/reuse_tree/contents.hpp"
#include "sim/prefix/reuse_tree/events.hpp"
#include "sim/prefix/reuse_tree/priority_free_queues.hpp"
#include "sim/prefix/reuse_tree/retention.hpp"
#include "sim/prefix/reuse_tree/reuse_tree.hpp"
#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

struct WindowConfig {
  std::uint32_t index = 0;   // what the observer calls this window size
  std::uint32_t window = 0;  // tokens
  bool sliding = false;      // shorter than the longest sequence
  std::uint32_t block_size = 0;
  std::uint32_t primary_blocks = 0, secondary_blocks = 0;
  ContentKind contents = ContentKind::tokens;
  bool partial_reuse = true;
  bool copy_on_partial_reuse = true;  // false: only a free leaf is reused in part
  bool onboard = true;                // false: nothing is offloaded either
  Priority offload_threshold{30};     // T4: the engine's constant; its documents say 35
};

/// The blocks of one sequence in one window size.
struct WindowTable {
  std::vector<BlockId> blocks;  // from the first token on; those that left the window keep a place
  /// Of the leading blocks that left the window: how often each had been taken by then.
  std::vector<std::uint32_t> detached;
  /// The deepest place in the tree that a store or lookup of this sequence has seen.
  struct Place {
    std::uint32_t blocks = 0;  // full blocks up to there
    BlockId node = null_block;
    std::uint32_t removals = 0;
  } place;

  std::span<const BlockId> held() const {
    return std::span<const BlockId>(blocks).subspan(detached.size());
  }
};

/// The blocks of all layers of one window size: pool, free queues and reuse tree of their own (spec
/// engines T2, T4 to T12). A block is an object that has memory in one of two pools; offloading and
/// onboarding swap memories between objects, which keep their places in the tree.
///
/// Ids start at 0, those of host memory follow those of device memory, and there is no null block.
/// Beams are left out: each sequence has one.
class WindowBlockManager {
 public:
  WindowBlockManager(const WindowConfig& config, Observer* observer);

  const WindowConfig& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  const PriorityFreeQueues& queues() const { return queues_; }
  const ReuseTree& tree() const { return tree_; }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t free_blocks() const { return queues_.size(Level::primary); }
  std::uint32_t references(BlockId block) const { return at(block).references; }
  /// Blocks that two or more sequences hold, and over all blocks the holders beyond the first.
  std::uint32_t shared_blocks() const { return shared_; }
  std::uint64_t saved_blocks() const { return saved_; }
  PoolOffset offset(BlockId block) const { return at(block).offset; }

  /// Free device blocks with which add() of this prompt surely succeeds. More than it will need
  /// only if a block is onboarded and what that evicts takes shared blocks out of the tree.
  std::uint32_t blocks_needed(const ContentsView& contents, std::uint32_t prompt) const;
  /// What add() of this prompt would return, if nothing is onboarded for it.
  std::uint32_t reusable_tokens(const ContentsView& contents, std::uint32_t prompt) const;
  /// Gives a prompt its blocks and returns how many leading tokens need not be computed: at most
  /// all but the last (T5, T6). blocks_needed() are free.
  std::uint32_t add(SequenceId sequence, WindowTable& table, const ContentsView& contents,
                    std::uint32_t prompt, const Retention& retention);
  /// The same without looking for reuse; blocks get the priority of decoding.
  void add_fresh(SequenceId sequence, WindowTable& table, std::uint32_t prompt,
                 const Retention& retention);

  /// Whether add_slot() finds the block that it may need.
  bool can_add_slot(const WindowTable& table, std::uint32_t slots) const;
  /// The sequence's tokens become `slots`, one more: front blocks leave the window, then a block
  /// joins where the last one is full (T11).
  void add_slot(SequenceId sequence, WindowTable& table, std::uint32_t slots,
                const Retention& retention);
  /// The last block leaves for the front of its free queue (T3).
  void release_last(SequenceId sequence, WindowTable& table);

  /// Puts the blocks of the first `usable` tokens into the tree, the partial one at the end as well
  /// if `partial`. What is there already stays, and the sequence's own block stays outside (T9).
  void store(WindowTable& table, const ContentsView& contents, std::uint32_t usable, bool partial);
  /// The store of a decode step: a block of `length` tokens, the last of which is not in the cache
  /// yet, may just have become full (T9).
  void store_new_block(WindowTable& table, const ContentsView& contents, std::uint32_t length);
  /// Whether a sequence may be stored when it ends: no block of its own that left the window was
  /// taken since (T11). Ours: also if the sequence took it itself, which makes a cycle in the
  /// engine's tree (TensorRT-LLM#19242), and also if the block was not allocated for this sequence
  /// but reused by it, or became another's by a partial match; the engine misses these.
  bool can_store(const WindowTable& table) const;
  /// The sequence lets go of its blocks, tail first (T10).
  void release(SequenceId sequence, WindowTable& table);

  void set_time(SimTime now) { now_ = now; }
  void refresh() { queues_.refresh(now_); }

 private:
  struct Block {
    PoolOffset offset;
    std::uint32_t references = 0;
    std::uint32_t taken = 0;  // how often its contents were given up to a sequence
    bool ever_reused = false;
  };
  Block& at(BlockId block) { return blocks_[block.value()]; }
  const Block& at(BlockId block) const { return blocks_[block.value()]; }
  std::uint32_t blocks_for(std::uint32_t tokens) const {
    return tokens / config_.block_size + (tokens % config_.block_size != 0 ? 1 : 0);
  }
  bool leaves_window(std::uint32_t slots, std::size_t detached) const {
    return slots >= detached * config_.block_size + config_.window + config_.block_size;
  }
  bool free_leaf(BlockId block) const { return at(block).references == 0 && tree_.leaf(block); }
  Match find(BlockId node, const BlockContents& wanted) const;

  /// The next free block, out of its queue and out of the tree (T7).
  BlockId take(BlockRetention retention);
  void allocate(SequenceId sequence, WindowTable& table, BlockRetention retention);
  void offload(BlockId victim, BlockId host);
  void onboard(BlockId block);
  BlockId take_matched(SequenceId sequence, const Match& match, const BlockContents& wanted,
                       const BlockRetention& retention);
  BlockId copy(SequenceId sequence, const Match& match, const BlockContents& wanted);
  void hold(WindowTable& table, BlockId block);
  void let_go(SequenceId sequence, BlockId block, bool to_front);
  void leave_tree(BlockId block);
  void remember(WindowTable& table, std::uint32_t blocks, BlockId node);
  template <class E>
  void tell(E&& event) {
    if (observer_ != nullptr) observer_->on_event(config_.index, Event(std::forward<E>(event)));
  }

  WindowConfig config_;
  Observer* observer_;
  std::vector<Block> blocks_;
  PriorityFreeQueues queues_;
  ReuseTree tree_;
  Counters counters_;
  std::uint32_t shared_ = 0;
  std::uint64_t saved_ = 0;
  SimTime now_;
};

}  // namespace vacancy::reuse_tree
