// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/prefix/reuse_tree/window_block_manager.hpp"

namespace vacancy::reuse_tree {

/// The state of one window size as plain values: for checks, displays and comparisons.
struct WindowSnapshot {
  struct Block {
    PoolOffset offset;
    std::uint32_t references = 0;
    Priority priority = default_priority;
    std::uint32_t tokens = 0;       // of its contents, stored or not
    BlockId parent = null_block;    // null_block: not in the tree
    BlockId found_as = null_block;  // what looking up its own contents under its parent gives
    std::vector<BlockId> children;  // in the order in which they were stored
  };
  struct Queue {
    Level level = Level::primary;
    Priority priority = default_priority;
    std::vector<BlockId> blocks;  // front first
  };
  std::uint32_t block_size = 0, primary_blocks = 0, secondary_blocks = 0;
  std::uint32_t free_primary = 0, free_secondary = 0;
  std::vector<Block> blocks;          // by id
  std::vector<BlockId> first_blocks;  // the children of the tree's root
  std::vector<Queue> queues;          // those that are not empty
};

WindowSnapshot snapshot_of(const WindowBlockManager& manager);

/// The first invariant that does not hold, as a sentence; nothing if all do. `tables` are those of
/// all sequences.
///
/// Each block is held or in exactly one free queue; its references are the tables that hold it; its
/// queue has its level and its priority. Offsets are a permutation of both pools' memories. Parents
/// and children agree, every stored block reaches the root, is found by its contents and holds
/// tokens, and only full blocks have children. Held blocks lie in device memory.
std::optional<std::string> find_fault(const WindowSnapshot& state,
                                      std::span<const WindowTable* const> tables);

}  // namespace vacancy::reuse_tree
