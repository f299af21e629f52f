// SPDX-License-Identifier: Apache-2.0
// BlockCacheOptions::pinned: blocks that stay whatever the policy says.
#include <catch2/catch.hpp>

#include "tests/support/block_strings.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

BlockCacheResult replay(const CacheReplay& cache, const ReferenceString& string,
                        const PinnedPrefixes& pinned, BlockCacheObserver* observer = nullptr) {
  BlockCacheOptions options = cache.options();
  options.pinned = pinned;
  return replay_blocks(string, options, cache.entry(), values_of(cache.entry().info, {}), observer);
}

/// Requests of one to four of these letters.
std::vector<LetterRequest> random_requests(std::string_view letters, std::uint32_t seed) {
  Random random(seed);
  std::vector<LetterRequest> requests;
  for (std::int64_t i = 0; i < 400; ++i) {
    LetterRequest& request = requests.emplace_back();
    request.second = i + 1;
    for (std::uint32_t blocks = 1 + random.below(4); blocks > 0; --blocks)
      request.blocks += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  }
  return requests;
}

}  // namespace

TEST_CASE("what is pinned is found ever after, under every policy", "[property]") {
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    std::vector<LetterRequest> requests = random_requests("abcdefghijklmnopqrs", 3);
    requests.insert(requests.begin(), {"ABC"});
    requests.push_back({"ABC", 500});
    // The third block is behind the first two tokens.
    HitPattern all, two;
    replay({entry.info.name, 6}, string_of(requests), {{{0, 0}}, {}}, &all);
    replay({entry.info.name, 6}, string_of(requests), {{{0, 0}}, 2}, &two);
    CHECK(all.pattern.substr(all.pattern.size() - 3) == "+++");
    CHECK(two.pattern.substr(two.pattern.size() - 3, 2) == "++");
    if (entry.info.name == "lru") CHECK(two.pattern.back() == '.');
  }
}

// Those that order by nothing that depends on the size of the cache.
TEST_CASE("beside p pinned blocks the others have a cache that is p blocks smaller") {
  for (const char* policy : {"lru", "lfu", "fifo", "mru", "filo", "length_aware", "belady"})
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      INFO(policy << ", seed " << seed);
      const std::vector<LetterRequest> others = random_requests("abcdefghij", seed);
      std::vector<LetterRequest> requests = others;
      requests.insert(requests.begin(), {"ABC"});
      HitPattern pinned, smaller;
      replay({policy, 8}, string_of(requests), {{{0, 0}}, {}}, &pinned);
      replay({policy, 5}, string_of(others), {}, &smaller);
      CHECK(pinned.pattern == "..." + smaller.pattern);
    }
}

TEST_CASE("a cache full of pinned blocks refuses all others") {
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    const auto string = string_of(std::vector<LetterRequest>{{"abc"}, {"d"}, {"abc"}, {"d"}});
    const BlockCacheResult result = replay({entry.info.name, 3}, string, {{{0, 0}}, {}});
    CHECK(result.hits == 3);
    CHECK(result.refusals == 2);
    CHECK(result.evictions == 0);
  }
}

TEST_CASE("a quota does not take what its tenant pinned") {
  BlockCacheOptions options;
  options.capacity = 6;
  options.tenant_quota = 3;
  options.pinned = {{{0, 0}}, {}};
  ReferenceString string({1, 1, true});
  const auto add = [&](const std::vector<std::uint64_t>& keys, std::uint32_t tenant) {
    string.add({keys, static_cast<std::uint32_t>(keys.size()), {}, 0, tenant});
  };
  add({1, 2}, 0);
  add({3, 4, 5}, 0);  // these share what is left of the quota, one block
  add({1, 2}, 0);
  add({1, 2, 3}, 1);  // another tenant's
  const ReplacementEntry& lru = *find_replacement("lru");
  BlockCache cache(string, options, lru, values_of(lru.info, {}));
  while (cache.serve()) {
    CHECK(cache.size_of(0) <= 3);
  }
  CHECK(cache.result().hits == 2);
  CHECK(cache.size_of(0) == 3);
  CHECK(cache.size_of(1) == 3);
}
