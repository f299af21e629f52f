// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/window_snapshot.hpp"

#include <utility>

namespace vacancy::reuse_tree {

WindowSnapshot snapshot_of(const WindowBlockManager& manager) {
  const ReuseTree& tree = manager.tree();
  WindowSnapshot state;
  state.block_size = manager.config().block_size;
  state.primary_blocks = manager.config().primary_blocks;
  state.secondary_blocks = manager.config().secondary_blocks;
  state.free_primary = manager.queues().size(Level::primary);
  state.free_secondary = manager.queues().size(Level::secondary);
  for (std::uint32_t id = 0; id < manager.blocks(); ++id) {
    const BlockId block(id);
    WindowSnapshot::Block& out = state.blocks.emplace_back();
    out.offset = manager.offset(block);
    out.references = manager.references(block);
    out.priority = manager.queues().priority(block);
    out.tokens = tree.contents(block).tokens;
    out.parent = tree.parent(block);
    if (out.parent != null_block) out.found_as = tree.find(out.parent, tree.contents(block));
    tree.for_each_child(block, [&](BlockId child) { out.children.push_back(child); });
  }
  tree.for_each_child(tree.root(), [&](BlockId child) { state.first_blocks.push_back(child); });
  for (const Level level : {Level::primary, Level::secondary}) {
    for (int value = lowest_priority.value(); value <= highest_priority.value(); ++value) {
      const Priority priority(static_cast<std::uint8_t>(value));
      WindowSnapshot::Queue queue{level, priority, {}};
      manager.queues().for_each(level, priority,
                                [&](BlockId block) { queue.blocks.push_back(block); });
      if (!queue.blocks.empty()) state.queues.push_back(std::move(queue));
    }
  }
  return state;
}

namespace {

using Fault = std::optional<std::string>;

std::string name_of(BlockId block) {
  return "block " + std::to_string(block.value());
}

Fault fault_in_holders(const WindowSnapshot& state, std::span<const WindowTable* const> tables) {
  std::vector<std::uint32_t> holders(state.blocks.size(), 0);
  for (const WindowTable* table : tables)
    for (const BlockId block : table->held())
      ++holders[block.value()];
  for (std::uint32_t id = 0; id < holders.size(); ++id) {
    if (holders[id] != state.blocks[id].references)
      return name_of(BlockId(id)) + " has " + std::to_string(state.blocks[id].references) +
             " references and " + std::to_string(holders[id]) + " holders";
    if (holders[id] > 0 && state.blocks[id].offset.level != Level::primary)
      return name_of(BlockId(id)) + " is held in host memory";
  }
  return {};
}

Fault fault_in_queues(const WindowSnapshot& state) {
  std::vector<std::uint32_t> queued(state.blocks.size(), 0);
  std::uint32_t free_primary = 0, free_secondary = 0;
  for (const WindowSnapshot::Queue& queue : state.queues) {
    for (const BlockId block : queue.blocks) {
      const WindowSnapshot::Block& b = state.blocks[block.value()];
      ++queued[block.value()];
      ++(queue.level == Level::primary ? free_primary : free_secondary);
      if (b.offset.level != queue.level) return name_of(block) + " waits on the wrong level";
      if (b.priority != queue.priority) return name_of(block) + " waits at the wrong priority";
    }
  }
  if (free_primary != state.free_primary || free_secondary != state.free_secondary)
    return "the counts of free blocks are not those of the queues";
  for (std::uint32_t id = 0; id < queued.size(); ++id)
    if (queued[id] + (state.blocks[id].references > 0 ? 1 : 0) != 1)
      return name_of(BlockId(id)) + " is not in exactly one place";
  return {};
}

Fault fault_in_offsets(const WindowSnapshot& state) {
  std::vector<bool> primary(state.primary_blocks), secondary(state.secondary_blocks);
  for (std::uint32_t id = 0; id < state.blocks.size(); ++id) {
    const PoolOffset offset = state.blocks[id].offset;
    auto& used = offset.level == Level::primary ? primary : secondary;
    if (offset.index >= used.size() || used[offset.index])
      return name_of(BlockId(id)) + " has memory that is another's or does not exist";
    used[offset.index] = true;
  }
  return {};
}

Fault fault_in_tree(const WindowSnapshot& state) {
  std::vector<std::uint32_t> listed(state.blocks.size(), 0);
  const BlockId root(static_cast<std::uint32_t>(state.blocks.size()));
  const auto visit = [&](BlockId parent, const std::vector<BlockId>& children) -> Fault {
    for (const BlockId child : children) {
      ++listed[child.value()];
      if (state.blocks[child.value()].parent != parent)
        return name_of(child) + " is the child of a block that is not its parent";
    }
    return {};
  };
  if (Fault fault = visit(root, state.first_blocks)) return fault;
  for (std::uint32_t id = 0; id < state.blocks.size(); ++id) {
    const WindowSnapshot::Block& b = state.blocks[id];
    if (Fault fault = visit(BlockId(id), b.children)) return fault;
    if (!b.children.empty() && (b.parent == null_block || b.tokens != state.block_size))
      return name_of(BlockId(id)) + " has children and is not a full block of the tree";
  }
  for (std::uint32_t id = 0; id < state.blocks.size(); ++id) {
    const WindowSnapshot::Block& b = state.blocks[id];
    if (listed[id] != (b.parent == null_block ? 0 : 1))
      return name_of(BlockId(id)) + " and its parent disagree";
    if (b.parent == null_block) continue;
    if (b.tokens == 0) return name_of(BlockId(id)) + " is in the tree and holds no tokens";
    if (b.found_as != BlockId(id)) return name_of(BlockId(id)) + " is not found by its contents";
    std::size_t steps = 0;
    for (BlockId above = b.parent; above != root; above = state.blocks[above.value()].parent)
      if (above == null_block || ++steps > state.blocks.size())
        return name_of(BlockId(id)) + " does not hang from the root";
  }
  return {};
}

}  // namespace

std::optional<std::string> find_fault(const WindowSnapshot& state,
                                      std::span<const WindowTable* const> tables) {
  if (Fault fault = fault_in_holders(state, tables)) return fault;
  if (Fault fault = fault_in_queues(state)) return fault;
  if (Fault fault = fault_in_offsets(state)) return fault;
  return fault_in_tree(state);
}

}  // namespace vacancy::reuse_tree
