// SPDX-License-Identifier: Apache-2.0
// Random operations on a radix tree with a host tier, against a plain model of both.
#include <catch2/catch.hpp>

#include "tests/support/plain_tiers.hpp"
#include "tests/support/radix_tools.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct TierChoices {
  std::uint32_t page;
  RadixPolicy policy;
  HostTierOptions host;
  std::uint32_t device_pages;
};

TierChoices tier_choices(std::uint32_t index) {
  const std::uint32_t page = index % 2 == 0 ? 1 : 4;
  const auto write = static_cast<HostWrite>(index / 2 % 3);
  const auto policy = std::array{RadixPolicy::lru, RadixPolicy::lfu, RadixPolicy::fifo,
                                 RadixPolicy::slru}[index / 6 % 4];
  // From a host that holds less than the device to one that holds nearly all there is.
  const std::uint32_t host_tokens = std::array{16u, 48u, 240u}[index % 3];
  return {page, policy, {host_tokens / page, write, 1 + index % 9}, 60 / page};
}

class TwoModels {
 public:
  TwoModels(const TierChoices& c, std::uint32_t seed)
      : host_(c.host),
        slots_(c.device_pages * c.page),
        cache_({.page_size = c.page, .policy = c.policy, .host = c.host},
               make_slot_allocator(c.page, c.device_pages, false)),
        plain_(c.page, c.policy, c.host),
        random_(seed) {}

  void step() {
    const std::uint32_t choice = random_.below(100);
    if (choice < 45) return store();
    if (choice < 55) return match();
    if (choice < 65) return lock();
    if (choice < 70) return unlock();
    if (choice < 85) return load();
    const std::uint32_t tokens = random_.below(slots_ / 2);
    CHECK(cache_.evict(tokens) == plain_.evict(tokens));
  }

  void compare() const {
    std::vector<PlainTiers::Facts> facts;
    collect(RadixTree::root(), facts);
    REQUIRE(facts == plain_.facts());
    REQUIRE(cache_.tree().host()->used() == plain_.host_tokens());
    REQUIRE(cache_.allocator().available() == slots_ - plain_.device_tokens());
    cache_.tree().check_invariants();
  }
  const HostTier::Counts& counts() const { return cache_.tree().host()->counts(); }

 private:
  Tokens sequence() {
    Tokens tokens;
    for (std::uint32_t pieces = 1 + random_.below(4); pieces > 0; --pieces) {
      const std::uint32_t content = 100 * random_.below(3);
      for (std::uint32_t i = 0, count = 1 + random_.below(9); i < count; ++i)
        tokens.push_back(content + i);
    }
    return tokens;
  }
  static TokenRuns runs(const Tokens& tokens) {
    TokenRuns result;
    for (const std::uint32_t id : tokens)
      result.append(token(id));
    return result;
  }

  void store() {
    const Tokens tokens = sequence();
    const bool chunked = random_.one_in(4);
    const auto stored = cache_.store({}, runs(tokens), {0, chunked});
    CHECK(plain_.match(tokens).device == stored.matched);
    if (stored.ok)
      plain_.insert(tokens, chunked);
    else
      CHECK(cache_.evict(tokens.size()) == plain_.evict(tokens.size()));
  }
  void match() {
    const Tokens tokens = sequence();
    const RadixMatch found = cache_.tree().match({}, runs(tokens));
    const auto expected = plain_.match(tokens);
    CHECK(found.tokens == expected.device);
    CHECK(found.host_tokens == expected.host);
  }
  void lock() {
    if (locks_.size() >= 2) return unlock();
    Tokens path = sequence();
    const RadixMatch found = cache_.tree().match({}, runs(path));
    path.resize(plain_.match(path).device);
    if (path.empty()) return;
    cache_.tree().lock(found.node);
    plain_.lock(path, 1);
    locks_.emplace_back(found.node, path);
  }
  void unlock() {
    if (locks_.empty()) return;
    cache_.tree().unlock(locks_.back().first);
    plain_.lock(locks_.back().second, -1);
    locks_.pop_back();
  }
  void load() {
    Tokens tokens = sequence();
    RadixRequest request;
    request.tokens = runs(tokens);
    request.tokens.append(token(999));  // the one that is left out
    cache_.look_up(request);
    const auto found = plain_.match(tokens);
    const bool worth = found.host >= host_.load_threshold;
    REQUIRE(request.host_tokens == (worth ? found.host : 0));
    if (worth) {
      tokens.resize(found.device);
      plain_.lock(tokens, 1);
      plain_.hold_last(true);
      const std::uint64_t free = slots_ - plain_.device_tokens();
      const std::uint64_t evicted = free < found.host ? plain_.evict(found.host) : 0;
      plain_.hold_last(false);
      CHECK(cache_.make_room_to_load(request) == evicted);
      const bool fits = free + evicted >= found.host;
      if (fits) plain_.load_last();
      CHECK(cache_.load_back(request) == fits);
      plain_.lock(tokens, -1);
    }
    cache_.abandon(request);
  }

  void collect(RadixNodeId id, std::vector<PlainTiers::Facts>& facts) const {
    for (const RadixNodeId child : children(cache_.tree(), id)) {
      const RadixNode& node = cache_.tree().node(child);
      Tokens tokens;
      for (const TokenRun& run : node.tokens.runs())
        tokens.push_back(static_cast<std::uint32_t>(run.content));
      facts.emplace_back(tokens, node.on_device(), node.on_host, node.hit_count,
                         static_cast<int>(node.lock_ref), node.access, node.created);
      collect(child, facts);
    }
  }

  HostTierOptions host_;
  std::uint32_t slots_;
  RadixCache cache_;
  PlainTiers plain_;
  Random random_;
  std::vector<std::pair<RadixNodeId, Tokens>> locks_;
};

}  // namespace

TEST_CASE("S14: random operations on both tiers do what a plain model of them does", "[property]") {
  HostTier::Counts all;
  for (std::uint32_t index = 0; index < 24; ++index) {
    INFO("combination " << index);
    TwoModels models(tier_choices(index), index);
    for (std::uint32_t step = 0; step < 1500; ++step) {
      INFO("step " << step);
      models.step();
      models.compare();
    }
    CHECK(models.counts().written > 20);
    all.loaded += models.counts().loaded;
    all.evicted += models.counts().evicted;
  }
  CHECK(all.loaded > 2000);
  CHECK(all.evicted > 2000);
}
