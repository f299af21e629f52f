// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "sim/prefix/reuse_tree/events.hpp"
#include "tests/unit/prefix/reuse_tree/rig.hpp"

namespace vacancy::test {

/// What one token of one tenant would leave in memory. Equal data can stand for each other.
struct Datum {
  std::uint32_t space = 0;
  std::uint64_t extra = 0, word = 0;
  auto operator<=>(const Datum&) const = default;
};

/// Memory as the event stream moves it about: what is really in each slot of both pools, which
/// blocks are in the tree and which are held. Shares no state with the cache.
class ShadowMemory final : public reuse_tree::Observer {
 public:
  ShadowMemory(const CacheOptions& options) : block_size_(options.block_size) {
    for (const auto& size : options.windows) {
      Window& window = windows_.emplace_back();
      const std::uint32_t blocks = size.blocks.primary + size.blocks.secondary;
      window.data.resize(std::size_t{blocks} * block_size_);
      window.memory_of.resize(blocks);
      std::iota(window.memory_of.begin(), window.memory_of.end(), 0u);
    }
  }

  Datum& at(std::uint32_t window, BlockId block, std::uint32_t offset) {
    Window& w = windows_[window];
    return w.data[std::size_t{w.memory_of[block.value()]} * block_size_ + offset];
  }
  const std::set<BlockId>& held(std::uint32_t window) const { return windows_[window].held; }
  const std::map<BlockId, BlockId>& parents(std::uint32_t window) const {
    return windows_[window].parents;
  }
  std::uint32_t memory_of(std::uint32_t window, BlockId block) const {
    return windows_[window].memory_of[block.value()];
  }
  std::uint64_t events() const { return events_; }

  void on_event(std::uint32_t window, const reuse_tree::Event& event) override {
    ++events_;
    std::visit([&](const auto& e) { apply(windows_[window], e); }, event);
  }

 private:
  struct Window {
    std::vector<Datum> data;
    std::vector<std::uint32_t> memory_of;  // primary memories first, then secondary ones
    std::set<BlockId> held;
    std::map<BlockId, BlockId> parents;
  };

  void copy(Window& w, std::uint32_t from, std::uint32_t to, std::uint32_t tokens) {
    std::copy_n(w.data.begin() + from * block_size_, tokens, w.data.begin() + to * block_size_);
  }
  void move(Window& w, BlockId block, BlockId other) {
    std::uint32_t& from = w.memory_of[block.value()];
    std::uint32_t& to = w.memory_of[other.value()];
    copy(w, from, to, block_size_);
    std::swap(from, to);
  }
  void apply(Window& w, const reuse_tree::BlockAllocated& e) {
    if (!w.held.insert(e.block).second) FAIL("a held block was allocated");
  }
  void apply(Window& w, const reuse_tree::BlockReused& e) { w.held.insert(e.block); }
  void apply(Window& w, const reuse_tree::BlockCopied& e) {
    if (!w.held.insert(e.to).second) FAIL("a held block was copied into");
    if (e.from != e.to) copy(w, w.memory_of[e.from.value()], w.memory_of[e.to.value()], e.tokens);
  }
  void apply(Window& w, const reuse_tree::BlockDetached& e) {
    if (w.held.count(e.block) == 0) FAIL("a block left a window that nobody held");
  }
  void apply(Window& w, const reuse_tree::BlockReleased& e) {
    if (w.held.erase(e.block) == 0) FAIL("a free block was released");
  }
  void apply(Window& w, const reuse_tree::BlockStored& e) {
    if (!w.parents.emplace(e.block, e.parent).second) FAIL("a block was stored twice");
  }
  void apply(Window& w, const reuse_tree::BlockRemoved& e) {
    if (w.parents.erase(e.block) == 0) FAIL("a block was removed that was not stored");
  }
  void apply(Window& w, const reuse_tree::BlockOffloaded& e) {
    if (w.parents.count(e.block) != (e.stored ? 1u : 0u)) FAIL("an offload misjudges the tree");
    move(w, e.block, e.other);
  }
  void apply(Window& w, const reuse_tree::BlockOnboarded& e) { move(w, e.block, e.other); }
  void apply(Window&, const reuse_tree::PriorityUpdated&) {}

  std::uint32_t block_size_;
  std::vector<Window> windows_;
  std::uint64_t events_ = 0;
};

/// What a random history came across: a stress that meets none of something proves nothing of it.
struct StressTotals {
  Counters counters;
  std::uint64_t operations = 0, refused_prompts = 0, refused_slots = 0, expired = 0;
};

/// A random history of one random cache. After every operation: all invariants hold, the shadow
/// agrees, each token of each live sequence lies where its table says, each block of the tree has
/// in memory what the tree promises, and each token counted as reused was really there.
class Stress {
 public:
  Stress(std::uint32_t seed, StressTotals& totals)
      : random_(seed),
        options_(random_options()),
        shadow_(options_),
        rig_(options_, &shadow_),
        totals_(totals) {
    for (const std::optional<std::uint64_t> lora : {std::optional<std::uint64_t>(), {1}})
      for (const std::optional<std::uint64_t> salt : {std::optional<std::uint64_t>(), {1}})
        spaces_.push_back(rig_.cache.spaces().intern(lora, salt));
  }

  void run(std::uint32_t operations) {
    for (std::uint32_t i = 0; i < operations; ++i) {
      const std::uint32_t choice = below(100);
      if (live_.empty() || (choice < 25 && live_.size() < 6))
        add();
      else if (choice < 65)
        decode(any());
      else if (choice < 75)
        rig_.cache.store_context(any());
      else if (choice < 85)
        release(any(), below(5) > 0);
      else if (choice < 93)
        draft(any());
      else
        pass_time();
      verify();
    }
    while (!live_.empty())
      release(any(), true);
    verify();
    for (std::uint32_t w = 0; w < options_.windows.size(); ++w) {
      REQUIRE(rig_.free(w) == options_.windows[w].blocks.primary);
      REQUIRE(shadow_.held(w).empty());
    }
    totals_.counters += rig_.cache.counters();
    totals_.operations += operations;
  }

  const ReuseTreeCache& cache() const { return rig_.cache; }

 private:
  struct Live {
    ContentSpace space;
    Words words, extras;
    std::uint32_t length = 0, slots = 0;
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  CacheOptions random_options() {
    CacheOptions options;
    options.block_size = std::array{1u, 2u, 4u, 4u, 8u}[below(5)];
    options.max_sequence_length = 24 + below(40);
    const auto pools = [&] {
      return reuse_tree::PoolBlocks{2 + below(3) * 12 + below(8), below(3) * below(12)};
    };
    if (below(3) > 0)
      options.windows.push_back({1 + below(options.max_sequence_length - 2), pools()});
    if (options.windows.empty() || below(2) == 0)
      options.windows.push_back({options.max_sequence_length, pools()});
    options.contents =
        below(4) == 0 ? reuse_tree::ContentKind::keys : reuse_tree::ContentKind::tokens;
    options.reuse = below(20) > 0;
    options.partial_reuse = below(4) > 0;
    options.copy_on_partial_reuse = below(3) > 0;
    options.onboard = below(6) > 0;
    options.offload_threshold = Priority(std::array<std::uint8_t, 3>{30, 35, 0}[below(3)]);
    return options;
  }

  Retention random_retention() {
    std::vector<RetentionRange> ranges;
    const auto priority = [&] {
      return Priority(std::array<std::uint8_t, 6>{0, 20, 30, 35, 60, 100}[below(6)]);
    };
    const auto duration = [&] {
      return below(2) == 0 ? std::optional<SimTime>() : SimTime(below(40));
    };
    std::uint32_t begin = below(6);
    for (std::uint32_t i = below(4); i > 0; --i) {
      const std::uint32_t end = begin + 1 + below(16);
      ranges.push_back({begin, end, priority(), duration()});
      begin = end + below(3);
    }
    return Retention(std::move(ranges), priority(), duration());
  }

  SequenceId any() {
    auto it = live_.begin();
    std::advance(it, below(static_cast<std::uint32_t>(live_.size())));
    return it->first;
  }

  /// Prompts of few letters that often repeat one of a few stems, so that they agree in whole
  /// blocks, in parts and not at all.
  std::uint64_t letter(std::uint32_t stem, std::uint32_t position) {
    const bool stray = below(24) == 0;
    return stray ? 100 + below(3) : 10 * stem + (position * (stem + 3)) % 3;
  }

  void add() {
    // An id comes back sometimes: with keys, a re-run finds its own blocks.
    const SequenceId id(below(40));
    if (live_.count(id) > 0) return;
    Live sequence;
    sequence.space = spaces_[below(static_cast<std::uint32_t>(spaces_.size()))];
    const std::uint32_t prompt = 1 + below(options_.max_sequence_length - 1);
    const std::uint32_t stem = below(3);
    if (options_.contents == reuse_tree::ContentKind::tokens) {
      for (std::uint32_t i = 0; i < prompt; ++i)
        sequence.words.push_back(letter(stem, i));
      if (below(4) == 0) sequence.extras = {below(2), below(2)};
    } else {
      // A key stands for all before it: the hash of a chain, as a trace would have it.
      std::uint64_t chain = stem;
      for (std::uint32_t i = 0; i <= prompt / options_.block_size && below(12) > 0; ++i) {
        chain = chain * 31 + letter(stem, i);
        sequence.words.push_back(chain);
      }
    }
    sequence.length = sequence.slots = prompt;

    const Counters before = rig_.cache.counters();
    const auto reused = rig_.cache.add(
        {id, sequence.space, prompt, sequence.words, sequence.extras, random_retention()});
    if (!reused) {
      ++totals_.refused_prompts;
      REQUIRE(rig_.cache.counters() == before);
      bool short_of_blocks = false;
      for (const WindowBlockManager& window : rig_.cache.windows())
        short_of_blocks |=
            window.free_blocks() < (prompt + options_.block_size - 1) / options_.block_size;
      REQUIRE(short_of_blocks);
      return;
    }
    REQUIRE(*reused < prompt);
    const bool overwritten =
        rig_.cache.counters().overwritten_sources != before.overwritten_sources;
    for (std::uint32_t w = 0; w < options_.windows.size(); ++w) {
      for (std::uint32_t token = 0; token < prompt; ++token) {
        Datum& datum = slot(id, w, token);
        if (token < *reused && !overwritten) REQUIRE(datum == datum_of(id, sequence, token));
        datum = datum_of(id, sequence, token);
      }
    }
    live_.emplace(id, std::move(sequence));
  }

  Datum datum_of(SequenceId id, const Live& sequence, std::uint32_t token) const {
    const std::uint32_t block = token / options_.block_size;
    Datum datum{sequence.space.value(), 0, 0};
    if (options_.contents == reuse_tree::ContentKind::tokens) {
      datum.word = sequence.words[token];
      datum.extra = block < sequence.extras.size() ? sequence.extras[block] : 0;
    } else if (block < sequence.words.size()) {
      datum.word = sequence.words[block];
    } else {
      datum.word = block;
      datum.extra = std::uint64_t{id.value()} + 1;
    }
    return datum;
  }

  Datum& slot(SequenceId id, std::uint32_t window, std::uint32_t token) {
    const BlockId block = rig_.cache.table(id, window).blocks[token / options_.block_size];
    return shadow_.at(window, block, token % options_.block_size);
  }

  /// Sampling makes a token known; the next step gives it room.
  void decode(SequenceId id) {
    Live& sequence = live_.at(id);
    if (sequence.slots == options_.max_sequence_length) return release(id, true);
    if (sequence.length == sequence.slots) {
      const std::uint64_t word = letter(below(3), sequence.length);
      if (options_.contents == reuse_tree::ContentKind::tokens) sequence.words.push_back(word);
      ++sequence.length;
      rig_.cache.add_token(id, word);
      if (below(4) > 0) rig_.cache.store_new_block(id);
      return;
    }
    const Counters before = rig_.cache.counters();
    if (!rig_.cache.add_slot(id)) {
      ++totals_.refused_slots;
      REQUIRE(rig_.cache.counters() == before);
      return release(any(), below(2) == 0);
    }
    ++sequence.slots;
    for (std::uint32_t w = 0; w < options_.windows.size(); ++w)
      slot(id, w, sequence.slots - 1) = datum_of(id, sequence, sequence.slots - 1);
  }

  /// Room for tokens that are then not accepted; no more than the shortest window has.
  void draft(SequenceId id) {
    const Live& sequence = live_.at(id);
    if (sequence.length != sequence.slots) return;
    std::uint32_t drafts = 0;
    while (drafts < std::min(5u, options_.windows[0].window) &&
           sequence.slots + drafts < options_.max_sequence_length && rig_.cache.add_slot(id))
      ++drafts;
    for (; drafts > 0; --drafts)
      rig_.cache.remove_slot(id);
  }

  void release(SequenceId id, bool keep) {
    rig_.cache.release(id, keep);
    live_.erase(id);
  }

  void pass_time() {
    now_ = now_ + SimTime(below(30));
    std::uint64_t before = 0, after = 0;
    for (const WindowBlockManager& window : rig_.cache.windows())
      window.queues().for_each_expiring([&](BlockId) { ++before; });
    rig_.cache.set_time(now_);
    rig_.cache.refresh();
    for (const WindowBlockManager& window : rig_.cache.windows())
      window.queues().for_each_expiring([&](BlockId) { ++after; });
    totals_.expired += before - after;
  }

  void verify() {
    rig_.check();
    for (std::uint32_t w = 0; w < options_.windows.size(); ++w) {
      const WindowBlockManager& window = rig_.window(w);
      std::size_t held = 0;
      for (std::uint32_t id = 0; id < window.blocks(); ++id) {
        const BlockId block(id);
        const auto offset = window.offset(block);
        const std::uint32_t memory =
            offset.index + (offset.level == Level::primary ? 0 : window.config().primary_blocks);
        if (memory != shadow_.memory_of(w, block)) FAIL("the events moved other memory");
        if (window.references(block) > 0) ++held;
        if ((window.references(block) > 0) != (shadow_.held(w).count(block) > 0))
          FAIL("the events know other holders");
        const auto parent = shadow_.parents(w).find(block);
        const BlockId known = parent == shadow_.parents(w).end() ? null_block : parent->second;
        if (known != window.tree().parent(block)) FAIL("the events know another tree");
        if (known == null_block) continue;
        const auto contents = window.tree().contents(block);
        for (std::uint32_t i = 0; i < contents.tokens; ++i) {
          const Datum promised{contents.space.value(), contents.extra,
                               contents.words.empty() ? contents.key : contents.words[i]};
          if (shadow_.at(w, block, i) != promised)
            FAIL("block " << id << " of the tree does not have what it promises");
        }
      }
      if (held != shadow_.held(w).size()) FAIL("the events know other holders");
      for (const auto& [id, sequence] : live_) {
        const auto& table = rig_.cache.table(id, w);
        const auto first = static_cast<std::uint32_t>(table.detached.size()) * options_.block_size;
        for (std::uint32_t token = first; token < std::min(sequence.length, sequence.slots);
             ++token)
          if (slot(id, w, token) != datum_of(id, sequence, token))
            FAIL("token " << token << " of sequence " << id.value() << " was overwritten");
      }
    }
  }

  std::mt19937 random_;
  CacheOptions options_;
  ShadowMemory shadow_;
  Rig rig_;
  StressTotals& totals_;
  std::vector<ContentSpace> spaces_;
  std::map<SequenceId, Live> live_;
  SimTime now_;
};

inline void stress(std::uint32_t first_seed, std::uint32_t histories,
                   std::uint32_t operations_each) {
  StressTotals totals;
  for (std::uint32_t seed = first_seed; seed < first_seed + histories; ++seed) {
    INFO("seed " << seed);
    Stress(seed, totals).run(operations_each);
  }
  CHECK(totals.operations == std::uint64_t{histories} * operations_each);
  // Nothing of interest stayed out of the history.
  CHECK(totals.counters.reused > 0);
  CHECK(totals.counters.missed > 0);
  CHECK(totals.counters.copied > 0);
  CHECK(totals.counters.offloaded > 0);
  CHECK(totals.counters.onboarded > 0);
  CHECK(totals.counters.detached > 0);
  CHECK(totals.counters.reused_tokens_secondary > 0);
  // Once in about 40 histories.
  if (histories >= 100) CHECK(totals.counters.overwritten_sources > 0);
  CHECK(totals.refused_prompts > 0);
  CHECK(totals.refused_slots > 0);
  CHECK(totals.expired > 0);
}

}  // namespace vacancy::test
