// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/window_block_manager.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

WindowBlockManager::WindowBlockManager(const WindowConfig& config, Observer* observer)
    : config_(config),
      observer_(observer),
      blocks_(std::size_t{config.primary_blocks} + config.secondary_blocks),
      queues_(config.primary_blocks, config.secondary_blocks),
      tree_(config.primary_blocks + config.secondary_blocks, config.block_size, config.contents) {
  for (std::uint32_t id = 0; id < blocks(); ++id)
    at(BlockId(id)).offset = id < config.primary_blocks
                                 ? PoolOffset{Level::primary, id}
                                 : PoolOffset{Level::secondary, id - config.primary_blocks};
}

Match WindowBlockManager::find(BlockId node, const BlockContents& wanted) const {
  if (node == null_block) return {};
  return tree_.match(node, wanted, config_.partial_reuse, [&](BlockId block) {
    return config_.copy_on_partial_reuse || free_leaf(block);
  });
}

std::uint32_t WindowBlockManager::blocks_needed(const ContentsView& contents,
                                                std::uint32_t prompt) const {
  const std::uint32_t count = blocks_for(prompt);
  std::uint32_t needed = 0;
  bool tree_stays = true;
  BlockId node = tree_.root();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Match match = find(node, contents.block(i, prompt - 1));
    if (!match.whole) return needed + (count - i);
    if (at(match.block).references == 0 || !tree_stays) ++needed;
    if (at(match.block).offset.level == Level::secondary) tree_stays = false;
    node = match.block;
  }
  return needed;
}

std::uint32_t WindowBlockManager::reusable_tokens(const ContentsView& contents,
                                                  std::uint32_t prompt) const {
  std::uint32_t tokens = 0;
  BlockId node = tree_.root();
  for (std::uint32_t i = 0; i < blocks_for(prompt) && node != null_block; ++i) {
    const Match match = find(node, contents.block(i, prompt - 1));
    if (match.block != null_block) tokens += match.tokens;
    node = match.whole ? match.block : null_block;
  }
  return tokens;
}

std::uint32_t WindowBlockManager::add(SequenceId sequence, WindowTable& table,
                                      const ContentsView& contents, std::uint32_t prompt,
                                      const Retention& retention) {
  const std::uint32_t count = blocks_for(prompt), usable = prompt - 1;
  table.blocks.reserve(count);
  std::uint32_t tokens = 0;
  BlockId node = tree_.root();
  for (std::uint32_t i = 0; i < count; ++i) {
    const BlockContents wanted = contents.block(i, usable);
    const BlockRetention asked = retention.of_block_at(i * config_.block_size);
    const Match match = find(node, wanted);
    node = match.whole ? match.block : null_block;
    if (match.block == null_block) {
      allocate(sequence, table, {asked.priority.value_or(default_priority), asked.duration});
      tree_.set_contents(table.blocks.back(), wanted);
      ++counters_.missed;
      continue;
    }
    tokens += match.tokens;
    hold(table, take_matched(sequence, match, wanted, asked));
    if (match.whole) remember(table, i + 1, match.block);
  }
  counters_.reused_tokens += tokens;
  counters_.input_tokens += prompt;
  return tokens;
}

BlockId WindowBlockManager::take_matched(SequenceId sequence, const Match& match,
                                         const BlockContents& wanted, const BlockRetention& asked) {
  const Level level = at(match.block).offset.level;
  const Priority priority = queues_.priority(match.block);
  if (asked.priority && *asked.priority != priority)
    tell(PriorityUpdated{match.block, priority, *asked.priority});

  BlockId block = match.block;
  if (!match.whole && !free_leaf(block)) {
    block = copy(sequence, match, wanted);
  } else {
    if (!match.whole) {
      leave_tree(block);
      ++at(block).taken;
    }
    queues_.claim(block, asked);
    tell(BlockReused{sequence, block, match.tokens, level});
    onboard(block);
  }

  ++counters_.reused;
  if (!at(match.block).ever_reused) ++counters_.reused_unique;
  at(match.block).ever_reused = true;
  if (level == Level::secondary) counters_.reused_tokens_secondary += match.tokens;
  return block;
}

/// The source stays free while room is made, so it can be what makes room: then it is taken itself.
/// Its device memory still has the tokens; its host memory went to what was offloaded.
BlockId WindowBlockManager::copy(SequenceId sequence, const Match& match,
                                 const BlockContents& wanted) {
  const Level level = at(match.block).offset.level;
  const BlockId block = take({queues_.priority(match.block), queues_.duration(match.block)});
  if (block == match.block && level == Level::secondary) ++counters_.overwritten_sources;
  tree_.set_contents(block, wanted);
  if (block != match.block && at(match.block).offset.level == Level::secondary)
    counters_.copied_tokens_secondary += match.tokens;
  ++counters_.copied;
  counters_.copied_tokens += match.tokens;
  tell(BlockCopied{sequence, match.block, block, match.tokens});
  return block;
}

void WindowBlockManager::add_fresh(SequenceId sequence, WindowTable& table, std::uint32_t prompt,
                                   const Retention& retention) {
  const std::uint32_t count = blocks_for(prompt);
  table.blocks.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i)
    allocate(sequence, table, retention.decode());
  counters_.input_tokens += prompt;
}

void WindowBlockManager::allocate(SequenceId sequence, WindowTable& table,
                                  BlockRetention retention) {
  const BlockId block = take(retention);
  hold(table, block);
  tell(BlockAllocated{sequence, block});
}

BlockId WindowBlockManager::take(BlockRetention retention) {
  BlockId block = queues_.front(Level::primary);
  VACANCY_ASSERT(block != null_block, "a block is wanted and none is free");
  const bool holds_tokens = tree_.holds_tokens(block);
  ++counters_.alloc_total;
  if (!holds_tokens) ++counters_.alloc_new;
  if (holds_tokens && config_.onboard && queues_.priority(block) >= config_.offload_threshold &&
      queues_.size(Level::secondary) > 0) {
    const BlockId host = queues_.front(Level::secondary);
    offload(block, host);
    block = host;
  }
  leave_tree(block);
  queues_.claim(block, retention);
  ++at(block).taken;
  return block;
}

/// Both are free. The victim keeps its priority but loses its duration, as every claim without one
/// does: an offloaded block does not expire.
void WindowBlockManager::offload(BlockId victim, BlockId host) {
  queues_.claim(victim, {});
  const PoolOffset from = at(victim).offset, to = at(host).offset;
  queues_.claim(host, {});
  std::swap(at(victim).offset, at(host).offset);
  queues_.release(victim, Level::secondary, now_);
  ++counters_.offloaded;
  tell(BlockOffloaded{victim, host, from, to, tree_.stored(victim)});
}

/// The memory that comes free on the host goes to the back of the default queue (T8).
void WindowBlockManager::onboard(BlockId block) {
  if (!config_.onboard || at(block).offset.level == Level::primary) return;
  const BlockId room = take({default_priority, std::nullopt});
  const PoolOffset from = at(block).offset, to = at(room).offset;
  std::swap(at(block).offset, at(room).offset);
  queues_.release(room, Level::secondary, now_);
  ++counters_.onboarded;
  tell(BlockOnboarded{block, room, from, to});
}

void WindowBlockManager::leave_tree(BlockId block) {
  tree_.remove_subtree(block, [&](BlockId gone) { tell(BlockRemoved{gone}); });
}

void WindowBlockManager::hold(WindowTable& table, BlockId block) {
  if (const std::uint32_t before = at(block).references++; before > 0) {
    ++saved_;
    if (before == 1) ++shared_;
  }
  table.blocks.push_back(block);
}

void WindowBlockManager::let_go(SequenceId sequence, BlockId block, bool to_front) {
  VACANCY_ASSERT(at(block).references > 0, "a block is let go that nobody holds");
  if (--at(block).references > 0) {
    --saved_;
    if (at(block).references == 1) --shared_;
    return;
  }
  queues_.release(block, at(block).offset.level, now_, to_front);
  tell(BlockReleased{sequence, block});
}

bool WindowBlockManager::can_add_slot(const WindowTable& table, std::uint32_t slots) const {
  if (slots % config_.block_size != 1 % config_.block_size || free_blocks() > 0) return true;
  for (std::size_t i = table.detached.size(); leaves_window(slots, i); ++i)
    if (at(table.blocks[i]).references == 1) return true;
  return false;
}

void WindowBlockManager::add_slot(SequenceId sequence, WindowTable& table, std::uint32_t slots,
                                  const Retention& retention) {
  while (leaves_window(slots, table.detached.size())) {
    VACANCY_ASSERT(config_.sliding, "a token leaves a window that is as long as any sequence");
    const BlockId block = table.blocks[table.detached.size()];
    table.detached.push_back(at(block).taken);
    ++counters_.detached;
    tell(BlockDetached{sequence, block});
    let_go(sequence, block, false);
  }
  if (slots % config_.block_size == 1 % config_.block_size)
    allocate(sequence, table, retention.decode());
}

void WindowBlockManager::release_last(SequenceId sequence, WindowTable& table) {
  VACANCY_ASSERT(!table.held().empty(), "a block is to leave a table that has none");
  let_go(sequence, table.blocks.back(), true);
  table.blocks.pop_back();
}

void WindowBlockManager::remember(WindowTable& table, std::uint32_t blocks, BlockId node) {
  table.place = {blocks, node, tree_.removals(node)};
}

void WindowBlockManager::store(WindowTable& table, const ContentsView& contents,
                               std::uint32_t usable, bool partial) {
  const std::uint32_t count = partial ? blocks_for(usable) : usable / config_.block_size;
  VACANCY_ASSERT(count <= table.blocks.size(), "tokens are stored that have no block");
  std::uint32_t i = 0;
  BlockId node = tree_.root();
  // A path is its contents, and the place is on this sequence's: no need to walk it again.
  const WindowTable::Place& place = table.place;
  if (place.node != null_block && place.removals == tree_.removals(place.node)) {
    i = place.blocks;
    node = place.node;
  }
  for (bool found = true; i < count; ++i) {
    const BlockContents wanted = contents.block(i, usable);
    const BlockId known = found ? tree_.find(node, wanted) : null_block;
    found = known != null_block;
    const BlockId block = found ? known : table.blocks[i];
    if (!found) {
      tree_.insert(block, node, wanted);
      tell(BlockStored{block, node});
    }
    node = block;
    if (wanted.tokens == config_.block_size) remember(table, i + 1, node);
  }
}

void WindowBlockManager::store_new_block(WindowTable& table, const ContentsView& contents,
                                         std::uint32_t length) {
  if (config_.sliding || length == 0 || (length - 1) % config_.block_size != 0) return;
  store(table, contents, length - 1, false);
}

bool WindowBlockManager::can_store(const WindowTable& table) const {
  for (std::size_t i = 0; i < table.detached.size(); ++i)
    if (at(table.blocks[i]).taken != table.detached[i]) return false;
  return true;
}

void WindowBlockManager::release(SequenceId sequence, WindowTable& table) {
  const auto held = table.held();
  for (std::size_t i = held.size(); i-- > 0;)
    let_go(sequence, held[i], false);
  table = {};
}

}  // namespace vacancy::reuse_tree
