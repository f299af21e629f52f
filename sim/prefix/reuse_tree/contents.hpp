// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "sim/units/strong_type.hpp"

// What blocks hold, and when two of them hold the same (spec engines T1). Nothing is hashed to an
// identity: equality compares the contents themselves, so there are no collisions.

namespace vacancy::reuse_tree {

/// How a cache tells contents apart. One kind serves a whole cache.
enum class ContentKind {
  tokens,  // by token ids; blocks can match in part
  keys,    // by one opaque key a block, for traces without ids: equal keys have equal prefixes
};

/// One tenant: an interned (LoRA task, cache salt, whether tokens have extra ids). Contents of two
/// spaces never match. The engine mixes the salt into the root's key only; since every match starts
/// at the root, that separates the same sequences.
using ContentSpace = StrongType<struct ContentSpaceTag, std::uint32_t>;

class ContentSpaces {
 public:
  /// Interns; equal arguments give the same space.
  ContentSpace intern(std::optional<std::uint64_t> lora_task, std::optional<std::uint64_t> salt,
                      bool extra_ids = false);

 private:
  using Key = std::tuple<std::optional<std::uint64_t>, std::optional<std::uint64_t>, bool>;
  std::map<Key, ContentSpace> spaces_;
};

/// A token as contents know it; the extra id is that of prompt-tuning tables.
constexpr std::uint64_t token_word(std::uint32_t token, std::uint32_t extra_id = 0) {
  return std::uint64_t{extra_id} << 32 | token;
}

/// The contents of one block: a view.
struct BlockContents {
  ContentSpace space;
  std::uint32_t tokens = 0;              // 0: nothing that could be found again
  std::uint64_t extra = 0;               // multimodal items that touch the block; 0: none
  std::uint64_t key = 0;                 // ContentKind::keys
  std::span<const std::uint64_t> words;  // ContentKind::tokens: one a token
};

bool operator==(const BlockContents& a, const BlockContents& b);
/// Leading tokens that both have. Blocks of one key agree in as many tokens as both have; blocks
/// of different keys count as different from the first token on (ours: a key says no more).
std::uint32_t common_tokens(const BlockContents& a, const BlockContents& b);
/// Spreads contents over the buckets of a table; never stands for them.
std::uint64_t bucket_hash(const BlockContents& contents);

/// A sequence's contents, cut into blocks: a view.
struct ContentsView {
  ContentKind kind = ContentKind::tokens;
  std::uint32_t block_size = 0;
  ContentSpace space;
  std::span<const std::uint64_t> words;   // one a token, or the key of each leading block
  std::span<const std::uint64_t> extras;  // of leading blocks; 0 for the others
  std::uint64_t own = 0;                  // not 0, this sequence's: marks blocks beyond its keys

  /// Block `index` if the first `usable` tokens of the sequence count; without tokens if the block
  /// lies beyond them. A block without a given key is unique to the sequence.
  BlockContents block(std::uint32_t index, std::uint32_t usable) const;
};

}  // namespace vacancy::reuse_tree
