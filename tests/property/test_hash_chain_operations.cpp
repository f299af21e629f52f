// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/serving/engine_profile.hpp"
#include "tests/support/kv_memory.hpp"
#include "tests/support/parameter_values.hpp"
#include "tests/support/plain_blocks.hpp"
#include "tests/support/reclaimers.hpp"
#include "tests/support/request_stream.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Tells one event to each of several.
struct Everybody final : Observer {
  void on_event(const Event& event) override {
    for (Observer* observer : observers)
      observer->on_event(event);
  }
  std::vector<Observer*> observers;
};

HashChainOptions random_options(Random& random, const ReplacementEntry* replacement) {
  std::vector<const EngineProfile*> profiles;
  for (const EngineProfile& profile : engine_profiles())
    if (profile.hash_chain) profiles.push_back(&profile);
  HashChainOptions options =
      *profiles[random.below(static_cast<std::uint32_t>(profiles.size()))]->hash_chain;
  options.block_size = random.of({1u, 2u, 4u, 8u, 16u});
  options.blocks = 1 + random.below(random.of({8u, 24u, 60u}));
  options.blocks_per_page = 3;
  options.prefix_caching = !random.one_in(8);
  if (random.one_in(3)) options.watermark_blocks = random.below(4);
  if (random.one_in(4)) options.full_sequence_gate = random.one_in(2);
  if (random.one_in(4))
    options.free_order = random.of({FreeOrder::append, FreeOrder::uncached_first});
  options.max_in_flight_tokens = 1 + random.below(40);
  if (random.one_in(3)) {
    options.groups.clear();
    for (std::uint32_t group = 0, count = 1 + random.below(3); group < count; ++group) {
      const bool window = random.one_in(2);
      options.groups.push_back({window ? std::optional(2 + random.below(20)) : std::nullopt});
    }
    options.sparse_window_hashes = random.one_in(2);
  }
  options.replacement = replacement;
  if (!replacement) return options;
  options.replacement_parameters = values_of(replacement->info);
  if (random.one_in(2)) options.tenant_quota_blocks = 1 + random.below(3);
  return options;
}

/// A crowd of requests that come, grow, are preempted and evicted from, and go.
class Crowd {
 public:
  explicit Crowd(std::uint32_t seed, const ReplacementEntry* replacement = nullptr)
      : random_(seed),
        options_(random_options(random_, replacement)),
        key_tokens_(options_.block_size % 2 == 0 && random_.one_in(4)
                        ? options_.block_size / 2
                        : options_.block_size * random_.of({1u, 1u, 4u})),
        keys_(1 + random_.below(4)),
        plain_(options_),
        memory_(cache_config(options_)),
        manager_(options_, Bytes(1024), everybody_) {
    everybody_.observers = {&plain_, &memory_};
  }

  void step() {
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
        arrive();
        break;
      case 3:
      case 4:
        if (!waiting_.empty()) admit(random_.below(size(waiting_)));
        break;
      case 5:
        if (!running_.empty()) leave(random_.below(size(running_)), true);
        break;
      case 6:
        if (!running_.empty()) leave(random_.below(size(running_)), false);
        break;
      case 7:
        if (!running_.empty() && options_.groups.size() == 1 && !options_.groups[0].window)
          evict(running_[random_.below(size(running_))]);
        break;
      default:
        if (!running_.empty()) grow(random_.below(size(running_)));
    }
    check();
  }
  void leave_all() {
    while (!running_.empty())
      leave(size(running_) - 1, true);
    check();
    happened.given_up = plain_.counts.dropped;
    CHECK(manager_.used_blocks() == 0);
    CHECK(manager_.free_blocks() == *options_.blocks);
  }
  /// What happened at all, so that a test can see that it tested something.
  struct Happened {
    std::uint64_t admissions = 0, refusals = 0, hits = 0, growths = 0, failures = 0, rounds = 0;
    std::int64_t evicted_blocks = 0;
    std::uint64_t given_up = 0;  // for a quota
  } happened;

 private:
  struct Member {
    Request request;
    std::uint32_t known = 0, computed = 0;
  };

  static CacheConfig cache_config(const HashChainOptions& options) {
    CacheConfig config;
    config.block_size = options.block_size;
    config.layout = CacheLayout(static_cast<std::uint32_t>(options.groups.size()), 1,
                                TableKind::per_layer, Scope::model);
    return config;
  }
  static std::uint32_t size(const std::vector<Member>& members) {
    return static_cast<std::uint32_t>(members.size());
  }
  std::uint32_t blocks(std::uint64_t tokens) const {
    return static_cast<std::uint32_t>((tokens + options_.block_size - 1) / options_.block_size);
  }

  void arrive() {
    Member member;
    Request& request = member.request;
    request.id = SequenceId(next_id_++);
    request.prompt_tokens = 1 + random_.below(random_.of({3u, 20u, 70u}));
    request.output_tokens = 1 + random_.below(30);
    RequestContents& contents = request.contents;
    contents.tenant = random_.one_in(4);
    contents.tokens_per_key = key_tokens_;
    const std::uint32_t most = request.prompt_tokens + request.output_tokens;
    contents.keyed_tokens = random_.of({request.prompt_tokens, most, random_.below(most + 1)});
    contents.keys = keys_.next(random_, (contents.keyed_tokens + key_tokens_ - 1) / key_tokens_);
    member.known = request.prompt_tokens;
    plain_.know(request);
    memory_.know(request);
    waiting_.push_back(member);
    admit(size(waiting_) - 1);
  }

  void admit(std::uint32_t place) {
    Member member = waiting_[place];
    const auto expected = plain_.find(member.request, member.known);
    const std::uint32_t hit = manager_.lookup(member.request, member.known);
    REQUIRE(hit == expected.blocks * options_.block_size);
    const std::uint32_t full = plain_.full_attention_blocks(member.request, member.known);
    const bool full_attention = std::any_of(options_.groups.begin(), options_.groups.end(),
                                            [](const CacheGroup& g) { return !g.window; });
    REQUIRE(manager_.shared_prefix_boundary(member.request) ==
            (full_attention && full > expected.blocks ? full * options_.block_size : 0));
    plain_.on_event(PrefixLookedUp{member.request.id, member.known, hit});

    const std::uint32_t left = member.known - hit;
    const std::uint32_t count =
        std::min({left, 1 + random_.below(left), options_.max_in_flight_tokens});
    const bool others = !running_.empty();
    const bool room = has_room(expected, member.known, hit + count, others);
    const auto free_before = plain_.free_queue();
    REQUIRE(manager_.admit(member.request, member.known, count, others) == room);
    ++(room ? happened.admissions : happened.refusals);
    if (!room) {
      REQUIRE(plain_.free_queue() == free_before);
      return;
    }
    happened.hits += hit;
    member.computed = hit + count;
    waiting_.erase(waiting_.begin() + place);
    running_.push_back(member);
  }

  /// V15a, c, d and engines §8.7, counted anew.
  bool has_room(const PlainBlocks::Found& found, std::uint32_t known, std::uint32_t tokens,
                bool others) const {
    std::uint64_t gate = others ? options_.watermark_blocks : 0;
    std::uint64_t need = gate;
    for (std::size_t group = 0; group < options_.groups.size(); ++group) {
      std::uint32_t whole = blocks(known);
      if (const auto& window = options_.groups[group].window)
        whole = std::min(whole, blocks(*window - 1 + options_.max_in_flight_tokens) + 1);
      gate += std::max(whole, found.blocks) - found.blocks;
      need += blocks(tokens) - found.blocks;
      for (const BlockId block : found.by_group[group])
        if (block != null_block && plain_.references(block) == 0) {
          ++gate;
          ++need;
        }
    }
    const std::uint64_t free = plain_.free_queue().size();
    return need <= free && (!options_.full_sequence_gate || gate <= free);
  }

  void grow(std::uint32_t place) {
    Member& member = running_[place];
    std::uint32_t count = 1;
    if (member.computed < member.known) {
      count = std::min(1 + random_.below(member.known - member.computed),
                       options_.max_in_flight_tokens);
    } else if (member.computed > member.known) {
      ++member.known;  // the token in flight arrives
      return;
    } else if (member.known + 1 >= member.request.prompt_tokens + member.request.output_tokens) {
      leave(place, true);
      return;
    } else if (random_.one_in(2)) {
      ++member.known;  // one step at a time; else the token is computed before it is known
    }
    const auto& tables = memory_.shadow().sequences().at(member.request.id);
    // Blocks that leave a window are free before the room is checked.
    std::uint64_t need = 0, leaving = 0;
    for (std::size_t group = 0; group < tables.size(); ++group) {
      need += blocks(std::uint64_t{tables[group].length} + count) - tables[group].entries.size();
      const auto& window = options_.groups[group].window;
      if (!window || member.computed + 1 <= *window) continue;
      const std::uint32_t gone = (member.computed + 1 - *window) / options_.block_size;
      for (std::uint32_t i = 0; i < std::min<std::size_t>(gone, tables[group].entries.size()); ++i)
        leaving += tables[group].entries[i] != null_block &&
                   plain_.references(tables[group].entries[i]) == 1;
    }
    const bool room = need <= plain_.free_queue().size() + leaving;
    REQUIRE(manager_.extend(member.request, member.computed, count, member.known) == room);
    ++(room ? happened.growths : happened.failures);
    if (room) member.computed += count;
  }

  void leave(std::uint32_t place, bool finished) {
    Member member = running_[place];
    running_.erase(running_.begin() + place);
    if (finished) {
      manager_.finish(member.request);
      return;
    }
    manager_.preempt(member.request);
    if (member.computed > member.known) ++member.known;
    member.computed = 0;
    waiting_.push_back(member);
  }

  void evict(const Member& member) {
    KvCache& cache = *manager_.cache();
    const SequenceId id = member.request.id;
    const std::uint32_t live = cache.sequence(id).live;
    KeepSets keep;
    keep.reset(1);
    auto mask = keep.begin(0, live);
    const std::uint32_t percent = random_.of({0u, 20u, 50u, 90u});
    for (std::uint32_t i = 0; i < live; ++i)
      if (random_.below(100) < percent) bits::set(mask, i);
    const auto done =
        run_round(cache, id, keep,
                  *reclaimers_[random_.below(static_cast<std::uint32_t>(reclaimers_.size()))]);
    if (!done) return;
    happened.evicted_blocks += done->blocks_freed;
    ++happened.rounds;
  }

  void check() {
    if (plain_.fault()) FAIL(*plain_.fault());
    if (const auto fault = memory_.fault()) FAIL(*fault);
    const KvCache& cache = *std::as_const(manager_).cache();
    cache.check_invariants();
    if (options_.tenant_quota_blocks > 0)
      for (const auto& [tenant, blocks] : plain_.free_hashed_blocks())
        REQUIRE(blocks <= options_.tenant_quota_blocks);
    auto expected = plain_.free_queue().begin();
    cache.pool().free_queue().for_each([&](BlockId block) { REQUIRE(block == *expected++); });
    REQUIRE(expected == plain_.free_queue().end());
    for (std::uint32_t block = 0; block < cache.pool().created(); ++block) {
      REQUIRE(manager_.index().contains(BlockId(block)) == plain_.hashed(BlockId(block)));
      REQUIRE(cache.pool().cached(BlockId(block)) == plain_.hashed(BlockId(block)));
    }
    for (const Member& member : running_)
      check_hashes(cache.sequence(member.request.id), member);
  }
  /// V2, V15f: every block that full attention computed and knows is hashed.
  void check_hashes(const CachedSequence& sequence, const Member& member) const {
    if (!options_.prefix_caching || sequence.rounds > 0) return;
    // A token that came to be known since the last allocation is hashed with the next one.
    const std::uint32_t tokens = std::min(member.computed, member.known) - 1;
    for (std::size_t group = 0; group < options_.groups.size(); ++group)
      if (!options_.groups[group].window)
        for (std::uint32_t i = 0; i < tokens / options_.block_size; ++i)
          REQUIRE(plain_.hashed(sequence.tables[group].entries()[i]));
  }

  Random random_;
  HashChainOptions options_;
  std::uint32_t key_tokens_;  // a trace's key may stand for less or more than a block
  SharedKeys keys_;
  Everybody everybody_;
  PlainBlocks plain_;
  KvMemory memory_;
  HashChainManager manager_;
  std::vector<std::unique_ptr<Reclaimer>> reclaimers_ = all_reclaimers();
  std::vector<Member> waiting_, running_;
  std::uint32_t next_id_ = 0;
};

void stress(std::uint32_t first_seed, std::uint32_t seeds, std::uint32_t steps) {
  Crowd::Happened all;
  for (std::uint32_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    INFO("seed " << seed);
    Crowd crowd(seed);
    for (std::uint32_t i = 0; i < steps; ++i)
      crowd.step();
    crowd.leave_all();
    all.admissions += crowd.happened.admissions;
    all.refusals += crowd.happened.refusals;
    all.hits += crowd.happened.hits;
    all.growths += crowd.happened.growths;
    all.failures += crowd.happened.failures;
    all.rounds += crowd.happened.rounds;
    all.evicted_blocks += crowd.happened.evicted_blocks;
  }
  const std::uint64_t operations = std::uint64_t{seeds} * steps;
  CHECK(all.admissions > operations / 20);
  CHECK(all.refusals > operations / 20);
  CHECK(all.hits > operations / 12);
  CHECK(all.growths > operations / 20);
  CHECK(all.failures > operations / 100);
  CHECK(all.rounds > operations / 100);
  CHECK(all.evicted_blocks > static_cast<std::int64_t>(operations / 100));
}

}  // namespace

TEST_CASE("100,000 random operations on vLLM's manager follow the rules", "[property]") {
  stress(0, scaled(100), 1000);
}

// PlainBlocks holds each allocation against V8, in which a policy may choose only among free blocks
// with contents once no other is left; under lru it must take the queue's front, so that the rules
// are the same block for block: a block's last use is when its last user lets go of it. Requests of
// two tenants find what PlainBlocks finds for them, nothing of the other's, and in half of the
// crowds each keeps within a quota after every operation.
TEST_CASE("random operations follow the rules under every replacement policy", "[property]") {
  for (const ReplacementEntry& replacement : replacement_policies()) {
    INFO(replacement.info.name);
    std::uint64_t hits = 0, admissions = 0, rounds = 0, given_up = 0;
    for (std::uint32_t seed = 5000; seed < 5012; ++seed) {
      INFO("seed " << seed);
      Crowd crowd(seed, &replacement);
      for (std::uint32_t i = 0; i < 400; ++i)
        crowd.step();
      crowd.leave_all();
      hits += crowd.happened.hits;
      admissions += crowd.happened.admissions;
      rounds += crowd.happened.rounds;
      given_up += crowd.happened.given_up;
    }
    CHECK(given_up > 20);
    CHECK(admissions > 200);
    CHECK(hits > 300);
    CHECK(rounds > 20);
  }
}

TEST_CASE("a million random operations on vLLM's manager follow the rules", "[.][million]") {
  stress(1000, 1000, 1000);
}
