// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/prefix/reuse_tree/retention.hpp"
#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

/// Where a block's memory lies: on the device, or in the host's pool for offloaded blocks.
enum class Level : std::uint8_t { primary, secondary };

/// The blocks that nobody holds, and how long each is to be kept: a queue for each of the 101
/// priorities on each of the two levels (spec engines T3). Each operation is O(1), with a
/// duration O(log n), and allocates nothing.
class PriorityFreeQueues {
 public:
  /// All blocks are free, at the default priority, in order of their ids: first the primary ones.
  PriorityFreeQueues(std::uint32_t primary, std::uint32_t secondary);

  std::uint32_t size(Level level) const { return at(level).size; }
  /// The block to take next: the front of the lowest priority that has one; null_block if none.
  BlockId front(Level level) const;
  bool contains(BlockId block) const { return node(block).free; }
  Priority priority(BlockId block) const { return node(block).priority; }
  std::optional<SimTime> duration(BlockId block) const { return node(block).duration; }

  /// Takes the block out of its queue if it is in one. A priority replaces the block's own, none
  /// keeps it; the duration is replaced in either case.
  void claim(BlockId block, BlockRetention retention);
  /// Puts the block at the back of its priority's queue, or at the front. If it has a duration and
  /// a priority other than the default, that runs out `duration` from now.
  void release(BlockId block, Level level, SimTime now, bool to_front = false);
  /// Blocks whose time ran out by now, in the order in which it did (ties: by id; the engine's go
  /// by address), move to the back of the default queue.
  void refresh(SimTime now);

  /// f(block), front first.
  template <class F>
  void for_each(Level level, Priority priority, F&& f) const {
    for (const Node& node : at(level).of_priority[priority.value()])
      f(node.id);
  }
  /// f(block), the next to expire first.
  template <class F>
  void for_each_expiring(F&& f) const {
    for (const Node& node : expiring_)
      f(node.id);
  }

 private:
  struct Node : boost::intrusive::list_base_hook<>, boost::intrusive::set_base_hook<> {
    BlockId id;
    Level level = Level::primary;  // of the queue that it is in
    bool free = false, expires = false;
    Priority priority = default_priority;
    std::optional<SimTime> duration;
    SimTime expiry;
  };
  struct ExpiresFirst {
    bool operator()(const Node& a, const Node& b) const {
      return a.expiry != b.expiry ? a.expiry < b.expiry : a.id < b.id;
    }
  };
  static constexpr std::size_t priorities = highest_priority.value() + 1;
  struct LevelQueues {
    std::array<boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>>,
               priorities>
        of_priority;
    std::array<std::uint64_t, (priorities + 63) / 64> occupied{};  // a bit for each queue
    std::uint32_t size = 0;
  };
  Node& node(BlockId block) { return nodes_[block.value()]; }
  const Node& node(BlockId block) const { return nodes_[block.value()]; }
  LevelQueues& at(Level level) { return levels_[static_cast<std::size_t>(level)]; }
  const LevelQueues& at(Level level) const { return levels_[static_cast<std::size_t>(level)]; }
  void enqueue(Node& node, bool to_front);
  void dequeue(Node& node);

  std::vector<Node> nodes_;  // before the queues, which let go of them first
  std::array<LevelQueues, 2> levels_;
  boost::intrusive::set<Node, boost::intrusive::compare<ExpiresFirst>> expiring_;
};

}  // namespace vacancy::reuse_tree
