// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/pool/reuse_counters.hpp"
#include "sim/prefix/reuse_tree/capacity.hpp"
#include "sim/prefix/reuse_tree/contents.hpp"
#include "sim/prefix/reuse_tree/memory_split.hpp"
#include "sim/prefix/reuse_tree/retention.hpp"
#include "sim/prefix/reuse_tree/window_block_manager.hpp"
#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

struct WindowSize {
  std::uint32_t window = 0;  // tokens; sliding if less than the longest sequence
  PoolBlocks blocks;
};

struct CacheOptions {
  std::uint32_t block_size = 0;           // tokens
  std::uint32_t max_sequence_length = 0;  // tokens
  std::vector<WindowSize> windows;        // ascending
  ContentKind contents = ContentKind::tokens;
  bool reuse = true;
  bool partial_reuse = true;
  bool copy_on_partial_reuse = true;
  bool onboard = true;
  Priority offload_threshold{30};
};

struct NewSequence {
  SequenceId id;
  ContentSpace space;
  std::uint32_t prompt_tokens = 0;
  /// token_word() of each prompt token, or the keys of leading blocks; keys may go beyond the
  /// prompt.
  std::span<const std::uint64_t> words;
  std::span<const std::uint64_t> extras;  // multimodal items of leading blocks, 0 for none
  Retention retention;
};

/// TensorRT-LLM's KV cache manager, profile `trtllm-2026-08` (spec engines §3, T1 to T12, T14; T13
/// is in capacity.hpp): a WindowBlockManager for each window size, and the sequences.
///
/// A sequence has a length, the tokens that are known, and slots, the tokens that have room. As in
/// the engine the two move apart: sampling adds to the length, the next step to the slots, so that
/// the last known token is not in the cache yet. The life of a sequence is
///   add, prefill, store_context, add_token, then (add_slot, add_token, store_new_block)…, release.
class ReuseTreeCache {
 public:
  /// Throws UserError if options contradict each other. `observer` may be null.
  explicit ReuseTreeCache(const CacheOptions& options, Observer* observer = nullptr);

  const CacheOptions& options() const { return options_; }
  std::span<const WindowBlockManager> windows() const { return windows_; }
  /// Sums over all window sizes.
  Counters counters() const;
  ContentSpaces& spaces() { return spaces_; }

  /// Time is now `now`, not before the last one. Blocks expire at refresh() only.
  void set_time(SimTime now);
  void refresh();

  /// What add() would give, if it succeeds and nothing is onboarded for it.
  std::uint32_t reusable_tokens(const NewSequence& sequence) const;
  /// Free blocks with which every window size surely has room for the prompt and `ahead` tokens
  /// behind it.
  bool has_room(const NewSequence& sequence, std::uint32_t ahead) const;
  /// Gives a sequence its prompt's blocks in every window size. The number of leading tokens whose
  /// keys and values are there in all of them (ours: the engine at this commit takes the count of
  /// the largest window); nothing, and nothing changed, if a window size has too few free blocks.
  [[nodiscard]] std::optional<std::uint32_t> add(const NewSequence& sequence);
  /// Room for one more token. False, and nothing changed, if a window size has no block for it.
  [[nodiscard]] bool add_slot(SequenceId id);
  /// Takes the room of the last token back: a draft that was not accepted. Drafts are no more than
  /// the shortest window has tokens, since blocks that they pushed out of it do not come back.
  void remove_slot(SequenceId id);
  /// One more token is known. The word counts in a cache of tokens only.
  void add_token(SequenceId id, std::uint64_t word = 0);
  /// The prompt was computed: its full blocks become findable, but not in sliding windows (T9,
  /// T11).
  void store_context(SequenceId id);
  /// A token was decoded: the block that it filled, if any, becomes findable.
  void store_new_block(SequenceId id);
  /// The sequence ends or pauses. With `keep` all but its last token become findable first.
  void release(SequenceId id, bool keep = true);

  bool contains(SequenceId id) const { return sequences_.count(id) > 0; }
  std::uint32_t length(SequenceId id) const { return at(id).length; }
  std::uint32_t slots(SequenceId id) const { return at(id).slots; }
  /// Its blocks in the window size of that index, those that left the window included.
  const WindowTable& table(SequenceId id, std::uint32_t window) const {
    return at(id).tables[window];
  }

  /// The first full block of a prompt that is not in the tree (T13); nothing if all are. For caches
  /// of one window size, as in the engine. The result refers to the words given.
  std::optional<NewContextBlock> find_new_context_block(const NewSequence& sequence) const;
  std::optional<NewContextBlock> find_new_context_block(SequenceId id) const;

  /// The first invariant that does not hold, as a sentence; reads everything.
  std::optional<std::string> find_fault() const;

 private:
  struct Sequence {
    ContentSpace space;
    std::vector<std::uint64_t> words, extras;
    Retention retention;
    std::uint32_t length = 0, slots = 0;
    std::vector<WindowTable> tables;  // one a window size
  };
  Sequence& at(SequenceId id);
  const Sequence& at(SequenceId id) const;
  ContentsView view(const NewSequence& sequence) const;
  ContentsView view(SequenceId id, const Sequence& sequence) const;
  std::optional<NewContextBlock> find_new_context_block(const ContentsView& contents,
                                                        std::uint32_t tokens) const;

  CacheOptions options_;
  std::vector<WindowBlockManager> windows_;
  ContentSpaces spaces_;
  std::map<SequenceId, Sequence> sequences_;
  SimTime now_;
};

}  // namespace vacancy::reuse_tree
