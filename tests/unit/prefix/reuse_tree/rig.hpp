// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/prefix/reuse_tree/reuse_tree_cache.hpp"

namespace vacancy::test {

using reuse_tree::CacheOptions;
using reuse_tree::ContentSpace;
using reuse_tree::Counters;
using reuse_tree::Level;
using reuse_tree::NewSequence;
using reuse_tree::Priority;
using reuse_tree::Retention;
using reuse_tree::RetentionRange;
using reuse_tree::ReuseTreeCache;
using reuse_tree::WindowBlockManager;

using Words = std::vector<std::uint64_t>;

inline Words counting(std::uint32_t first, std::uint32_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr Priority standard(35);

/// A prompt all of whose blocks have this priority, for that long.
inline Retention prompt_at(unsigned priority, std::optional<SimTime> duration = std::nullopt) {
  return Retention({{0, std::nullopt, Priority(static_cast<std::uint8_t>(priority)), duration}});
}

/// One window size as long as the longest sequence, block size 4, unless a test says otherwise.
inline CacheOptions one_window(std::uint32_t primary, std::uint32_t secondary = 0,
                               std::uint32_t longest = 128) {
  CacheOptions options;
  options.block_size = 4;
  options.max_sequence_length = longest;
  options.windows = {{longest, {primary, secondary}}};
  return options;
}

/// A cache in which every operation is followed by a check of all invariants.
class Rig {
 public:
  explicit Rig(const CacheOptions& options, reuse_tree::Observer* observer = nullptr)
      : cache(options, observer) {}
  ~Rig() { check(); }

  /// Tokens that need not be computed; the sequence must fit.
  std::uint32_t add(std::uint32_t id, const Words& words, Retention retention = {},
                    ContentSpace space = {}, const Words& extras = {}) {
    const auto reused = try_add(id, words, std::move(retention), space, extras);
    REQUIRE(reused.has_value());
    return *reused;
  }
  std::optional<std::uint32_t> try_add(std::uint32_t id, const Words& words,
                                       Retention retention = {}, ContentSpace space = {},
                                       const Words& extras = {}) {
    NewSequence sequence{SequenceId(id), space,  static_cast<std::uint32_t>(words.size()),
                         words,          extras, std::move(retention)};
    const auto reused = cache.add(sequence);
    check();
    return reused;
  }
  /// Tokens that are known and have no room, or the room of which a test does not need.
  void know(std::uint32_t id, const Words& words) {
    for (const std::uint64_t word : words)
      cache.add_token(SequenceId(id), word);
  }
  /// A token that is known and has room.
  void append(std::uint32_t id, const Words& words) {
    for (const std::uint64_t word : words) {
      REQUIRE(cache.add_slot(SequenceId(id)));
      cache.add_token(SequenceId(id), word);
      check();
    }
  }
  void store_context(std::uint32_t id) {
    cache.store_context(SequenceId(id));
    check();
  }
  void store_new_block(std::uint32_t id) {
    cache.store_new_block(SequenceId(id));
    check();
  }
  void release(std::uint32_t id, bool keep = true) {
    cache.release(SequenceId(id), keep);
    check();
  }
  void refresh_at(SimTime now) {
    cache.set_time(now);
    cache.refresh();
    check();
  }
  std::vector<std::uint32_t> table(std::uint32_t id, std::uint32_t window = 0) const {
    std::vector<std::uint32_t> ids;
    for (const BlockId block : cache.table(SequenceId(id), window).blocks)
      ids.push_back(block.value());
    return ids;
  }
  std::uint32_t free(std::uint32_t window = 0) const {
    return cache.windows()[window].free_blocks();
  }
  const WindowBlockManager& window(std::uint32_t index = 0) const { return cache.windows()[index]; }
  Level level(std::uint32_t block) const { return window().offset(BlockId(block)).level; }
  bool stored(std::uint32_t block) const { return window().tree().stored(BlockId(block)); }
  /// The free queue of one level and priority, front first.
  std::vector<std::uint32_t> queue(Level level, Priority priority) const {
    std::vector<std::uint32_t> ids;
    window().queues().for_each(level, priority,
                               [&](BlockId block) { ids.push_back(block.value()); });
    return ids;
  }
  void check() const {
    const auto fault = cache.find_fault();
    if (fault) FAIL(*fault);
  }

  ReuseTreeCache cache;
};

using Ids = std::vector<std::uint32_t>;

}  // namespace vacancy::test
