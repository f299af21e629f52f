// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>

#include "sim/prefix/radix/windowed_replay.hpp"
#include "sim/units/error.hpp"
#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using Keys = std::vector<std::uint64_t>;

namespace {

RadixCache make_cache(std::uint32_t slots) {
  return {{.evict_shortfall_only = true}, std::make_unique<TokenSlotAllocator>(slots)};
}

}  // namespace

TEST_CASE("Protocol B: a prompt hits what an active request cached, but never its last token") {
  RadixCache cache = make_cache(100);
  WindowedReplay replay(cache, 4);
  const Keys keys = {1, 2};
  replay.serve({8, 3, keys});
  replay.serve({8, 3, keys});
  replay.serve({6, 3, keys});
  CHECK(replay.counts().hit_tokens == 7 + 5);
  CHECK(replay.counts().requests == 3);
  CHECK(replay.counts().prompt_tokens == 22);
  CHECK(replay.counts().output_tokens == 9);
}

TEST_CASE("Protocol B: outputs, and prompts beyond their keys, belong to one request") {
  RadixCache cache = make_cache(100);
  WindowedReplay replay(cache, 4, 0);
  const Keys keys = {1};
  replay.serve({7, 2, keys});
  replay.serve({7, 2, keys});
  CHECK(replay.counts().hit_tokens == 4);
  CHECK(cache.tree().evictable_tokens() == 4 + 2 * (3 + 2));
}

TEST_CASE("Protocol B: the oldest ends when the window is full, or when slots lack") {
  RadixCache cache = make_cache(20);
  WindowedReplay replay(cache, 4, 2);
  const Keys a = {1}, b = {2}, c = {3}, d = {4};
  replay.serve({4, 2, a});
  replay.serve({4, 2, b});
  CHECK(cache.tree().evictable_tokens() == 0);
  replay.serve({4, 2, c});  // three would be active: a ends
  CHECK(cache.tree().evictable_tokens() == 6);
  CHECK(replay.counts().evict_calls == 0);
  replay.serve({4, 6, d});  // 2 slots free, 10 wanted: b ends, 8 lack, a's and b's 12 go
  CHECK(replay.counts().evict_calls == 1);
  CHECK(replay.counts().evicted_tokens == 8);
  replay.drain();
  CHECK(cache.tree().protected_tokens() == 0);
  cache.tree().check_invariants();
}

TEST_CASE("Protocol B: a request that exceeds the pool is refused with a sentence") {
  RadixCache cache = make_cache(20);
  WindowedReplay replay(cache, 4);
  CHECK_THROWS_AS(replay.serve({18, 3, {}}), UserError);
  CHECK_THROWS_AS(replay.serve({4'000'000'000, 4'000'000'000, {}}), UserError);
  replay.serve({17, 3, {}});
  replay.serve({20, 0, {}});
  CHECK(replay.counts().evicted_tokens == 20);
}
