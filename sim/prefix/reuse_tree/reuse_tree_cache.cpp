// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"

#include <algorithm>
#include <utility>

#include "sim/prefix/reuse_tree/window_snapshot.hpp"
#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

namespace {

void check(const CacheOptions& options) {
  const auto refuse = [](const std::string& sentence) { throw UserError(sentence); };
  if (options.block_size == 0) refuse("block_size: is 0; a block holds at least one token.");
  if (options.max_sequence_length == 0)
    refuse("max_sequence_length: is 0; give the length of the longest sequence in tokens.");
  if (options.windows.empty()) refuse("windows: there is none; give at least one window size.");
  if (options.offload_threshold > highest_priority)
    refuse("offload_threshold: is " + std::to_string(int{options.offload_threshold.value()}) +
           "; give a priority from 0 to 100.");
  std::uint32_t previous = 0;
  for (const WindowSize& size : options.windows) {
    const std::string place = "windows: " + std::to_string(size.window) + " tokens: ";
    if (size.window <= previous)
      refuse(place + "window sizes ascend from 1; sort them and name each once.");
    if (size.blocks.primary == 0) refuse(place + "has no device block; give it at least one.");
    if (std::uint64_t{size.blocks.primary} + size.blocks.secondary > 1u << 31)
      refuse(place + "has more than 2^31 blocks; give less memory or larger blocks.");
    previous = size.window;
  }
}

}  // namespace

ReuseTreeCache::ReuseTreeCache(const CacheOptions& options, Observer* observer)
    : options_(options) {
  check(options_);
  windows_.reserve(options_.windows.size());
  for (const WindowSize& size : options_.windows) {
    WindowConfig config;
    config.index = static_cast<std::uint32_t>(windows_.size());
    config.window = size.window;
    config.sliding = size.window < options_.max_sequence_length;
    config.block_size = options_.block_size;
    config.primary_blocks = size.blocks.primary;
    config.secondary_blocks = size.blocks.secondary;
    config.contents = options_.contents;
    config.partial_reuse = options_.partial_reuse;
    config.copy_on_partial_reuse = options_.copy_on_partial_reuse;
    config.onboard = options_.onboard;
    config.offload_threshold = options_.offload_threshold;
    windows_.emplace_back(config, observer);
  }
}

Counters ReuseTreeCache::counters() const {
  Counters sum;
  for (const WindowBlockManager& window : windows_)
    sum += window.counters();
  return sum;
}

void ReuseTreeCache::set_time(SimTime now) {
  VACANCY_ASSERT(now >= now_, "time goes on");
  now_ = now;
  for (WindowBlockManager& window : windows_)
    window.set_time(now);
}

void ReuseTreeCache::refresh() {
  for (WindowBlockManager& window : windows_)
    window.refresh();
}

std::uint32_t ReuseTreeCache::reusable_tokens(const NewSequence& sequence) const {
  if (!options_.reuse) return 0;
  std::uint32_t tokens = sequence.prompt_tokens;
  for (const WindowBlockManager& window : windows_)
    tokens = std::min(tokens, window.reusable_tokens(view(sequence), sequence.prompt_tokens));
  return tokens;
}

bool ReuseTreeCache::has_room(const NewSequence& sequence, std::uint32_t ahead) const {
  const std::uint32_t prompt = (sequence.prompt_tokens - 1) / options_.block_size + 1;
  const std::uint32_t all = (sequence.prompt_tokens + ahead - 1) / options_.block_size + 1;
  for (const WindowBlockManager& window : windows_) {
    if (window.free_blocks() >= all) continue;
    if (!options_.reuse) return false;
    const std::uint32_t needed = window.blocks_needed(view(sequence), sequence.prompt_tokens);
    if (window.free_blocks() < needed + (all - prompt)) return false;
  }
  return true;
}

std::optional<std::uint32_t> ReuseTreeCache::add(const NewSequence& sequence) {
  VACANCY_ASSERT(!contains(sequence.id), "a sequence is in the cache once");
  VACANCY_ASSERT(
      sequence.prompt_tokens > 0 && sequence.prompt_tokens <= options_.max_sequence_length,
      "a prompt has a token and is no longer than the longest sequence");
  VACANCY_ASSERT(
      options_.contents == ContentKind::keys || sequence.words.size() == sequence.prompt_tokens,
      "each prompt token has a word");
  if (!has_room(sequence, 0)) return std::nullopt;
  const ContentsView contents = view(sequence);

  Sequence& added = sequences_[sequence.id];
  added.space = sequence.space;
  added.words.assign(sequence.words.begin(), sequence.words.end());
  added.extras.assign(sequence.extras.begin(), sequence.extras.end());
  added.retention = sequence.retention;
  added.length = added.slots = sequence.prompt_tokens;
  added.tables.resize(windows_.size());
  std::uint32_t reused = options_.reuse ? sequence.prompt_tokens : 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (!options_.reuse)
      windows_[i].add_fresh(sequence.id, added.tables[i], added.slots, added.retention);
    else
      reused = std::min(reused, windows_[i].add(sequence.id, added.tables[i], contents, added.slots,
                                                added.retention));
  }
  return reused;
}

bool ReuseTreeCache::add_slot(SequenceId id) {
  Sequence& sequence = at(id);
  VACANCY_ASSERT(sequence.slots < options_.max_sequence_length,
                 "a sequence outgrows the longest one");
  const std::uint32_t slots = sequence.slots + 1;
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (!windows_[i].can_add_slot(sequence.tables[i], slots)) return false;
  sequence.slots = slots;
  for (std::size_t i = 0; i < windows_.size(); ++i)
    windows_[i].add_slot(id, sequence.tables[i], slots, sequence.retention);
  return true;
}

void ReuseTreeCache::remove_slot(SequenceId id) {
  Sequence& sequence = at(id);
  VACANCY_ASSERT(sequence.slots + 1 > sequence.length, "a known token keeps its room");
  --sequence.slots;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    WindowTable& table = sequence.tables[i];
    // Ours where a window is no multiple of the block size: the engine counts within the window.
    if (sequence.slots % options_.block_size == 0) windows_[i].release_last(id, table);
    VACANCY_ASSERT(table.detached.size() * options_.block_size <= sequence.slots,
                   "more drafts are taken back than a window has tokens");
  }
}

void ReuseTreeCache::add_token(SequenceId id, std::uint64_t word) {
  Sequence& sequence = at(id);
  ++sequence.length;
  if (options_.contents == ContentKind::tokens) sequence.words.push_back(word);
}

void ReuseTreeCache::store_context(SequenceId id) {
  if (!options_.reuse) return;
  Sequence& sequence = at(id);
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (!windows_[i].config().sliding)
      windows_[i].store(sequence.tables[i], view(id, sequence), sequence.length - 1, false);
}

void ReuseTreeCache::store_new_block(SequenceId id) {
  if (!options_.reuse) return;
  Sequence& sequence = at(id);
  for (std::size_t i = 0; i < windows_.size(); ++i)
    windows_[i].store_new_block(sequence.tables[i], view(id, sequence), sequence.length);
}

void ReuseTreeCache::release(SequenceId id, bool keep) {
  Sequence& sequence = at(id);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    WindowTable& table = sequence.tables[i];
    if (keep && options_.reuse && windows_[i].can_store(table))
      windows_[i].store(table, view(id, sequence), sequence.length - 1, true);
    windows_[i].release(id, table);
  }
  sequences_.erase(id);
}

ReuseTreeCache::Sequence& ReuseTreeCache::at(SequenceId id) {
  const auto it = sequences_.find(id);
  VACANCY_ASSERT(it != sequences_.end(), "the sequence is in the cache");
  return it->second;
}

const ReuseTreeCache::Sequence& ReuseTreeCache::at(SequenceId id) const {
  const auto it = sequences_.find(id);
  VACANCY_ASSERT(it != sequences_.end(), "the sequence is in the cache");
  return it->second;
}

ContentsView ReuseTreeCache::view(const NewSequence& sequence) const {
  return {options_.contents, options_.block_size, sequence.space,
          sequence.words,    sequence.extras,     std::uint64_t{sequence.id.value()} + 1};
}

ContentsView ReuseTreeCache::view(SequenceId id, const Sequence& sequence) const {
  return {options_.contents, options_.block_size, sequence.space,
          sequence.words,    sequence.extras,     std::uint64_t{id.value()} + 1};
}

std::optional<NewContextBlock> ReuseTreeCache::find_new_context_block(
    const NewSequence& sequence) const {
  return find_new_context_block(view(sequence), sequence.prompt_tokens);
}

std::optional<NewContextBlock> ReuseTreeCache::find_new_context_block(SequenceId id) const {
  return find_new_context_block(view(id, at(id)), at(id).length);
}

std::optional<NewContextBlock> ReuseTreeCache::find_new_context_block(const ContentsView& contents,
                                                                      std::uint32_t tokens) const {
  VACANCY_ASSERT(windows_.size() == 1, "new blocks are one per window size");
  if (!options_.reuse) return std::nullopt;
  const ReuseTree& tree = windows_.front().tree();
  BlockId node = tree.root();
  for (std::uint32_t i = 0; i < tokens / options_.block_size; ++i) {
    const BlockContents wanted = contents.block(i, tokens);
    const BlockId found = tree.find(node, wanted);
    if (found == null_block) return NewContextBlock{node, wanted};
    node = found;
  }
  return std::nullopt;
}

std::optional<std::string> ReuseTreeCache::find_fault() const {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    std::vector<const WindowTable*> tables;
    for (const auto& [id, sequence] : sequences_)
      tables.push_back(&sequence.tables[i]);
    if (auto fault = reuse_tree::find_fault(snapshot_of(windows_[i]), tables))
      return "window " + std::to_string(windows_[i].config().window) + ": " + *fault;
  }
  return std::nullopt;
}

}  // namespace vacancy::reuse_tree
