// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/priority_free_queues.hpp"

#include <bit>
#include <limits>

#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

PriorityFreeQueues::PriorityFreeQueues(std::uint32_t primary, std::uint32_t secondary)
    : nodes_(std::size_t{primary} + secondary) {
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    nodes_[id].id = BlockId(id);
    nodes_[id].level = id < primary ? Level::primary : Level::secondary;
    enqueue(nodes_[id], false);
  }
}

BlockId PriorityFreeQueues::front(Level level) const {
  const LevelQueues& queues = at(level);
  for (std::size_t word = 0; word < queues.occupied.size(); ++word) {
    if (queues.occupied[word] == 0) continue;
    const auto bit = static_cast<std::size_t>(std::countr_zero(queues.occupied[word]));
    return queues.of_priority[word * 64 + bit].front().id;
  }
  return null_block;
}

void PriorityFreeQueues::claim(BlockId block, BlockRetention retention) {
  Node& claimed = node(block);
  if (claimed.free) dequeue(claimed);
  if (claimed.expires) {
    expiring_.erase(expiring_.iterator_to(claimed));
    claimed.expires = false;
  }
  if (retention.priority) claimed.priority = *retention.priority;
  claimed.duration = retention.duration;
}

void PriorityFreeQueues::release(BlockId block, Level level, SimTime now, bool to_front) {
  Node& released = node(block);
  VACANCY_ASSERT(!released.free, "a block is released twice");
  released.level = level;
  enqueue(released, to_front);
  if (!released.duration || released.priority == default_priority) return;
  constexpr SimTime never(std::numeric_limits<SimTime::rep>::max());
  released.expiry = *released.duration > never - now ? never : now + *released.duration;
  expiring_.insert(released);
  released.expires = true;
}

void PriorityFreeQueues::refresh(SimTime now) {
  while (!expiring_.empty() && expiring_.begin()->expiry <= now) {
    Node& expired = *expiring_.begin();
    expiring_.erase(expiring_.begin());
    expired.expires = false;
    dequeue(expired);
    expired.priority = default_priority;
    enqueue(expired, false);
  }
}

void PriorityFreeQueues::enqueue(Node& node, bool to_front) {
  LevelQueues& queues = at(node.level);
  const std::size_t priority = node.priority.value();
  auto& queue = queues.of_priority[priority];
  to_front ? queue.push_front(node) : queue.push_back(node);
  queues.occupied[priority / 64] |= std::uint64_t{1} << priority % 64;
  ++queues.size;
  node.free = true;
}

void PriorityFreeQueues::dequeue(Node& node) {
  LevelQueues& queues = at(node.level);
  const std::size_t priority = node.priority.value();
  auto& queue = queues.of_priority[priority];
  queue.erase(queue.iterator_to(node));
  if (queue.empty()) queues.occupied[priority / 64] &= ~(std::uint64_t{1} << priority % 64);
  --queues.size;
  node.free = false;
}

}  // namespace vacancy::reuse_tree
