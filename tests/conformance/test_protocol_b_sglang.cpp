// SPDX-License-Identifier: Apache-2.0
// Protocol B of the spec (engines §6): a cache alone on a whole trace, against counts that the
// engine's own memory manager gave.
#include <catch2/catch.hpp>
#include <memory>

#include "sim/prefix/radix/windowed_replay.hpp"
#include "sim/workload/trace/trace.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

TEST_CASE("Protocol B: sglang-2026-07, page 1, LRU, 524,288 slots, Mooncake conversation trace") {
  const auto path = test::shared_file("data/mooncake/conversation_trace.jsonl");
  if (!path) return;
  const auto trace = open_trace(*path, {});

  RadixCache cache({.page_size = 1, .policy = RadixPolicy::lru, .evict_shortfall_only = true},
                   std::make_unique<TokenSlotAllocator>(524'288));
  WindowedReplay replay(cache, trace->info().block_size);
  TraceRequest request;
  while (trace->next(request))
    replay.serve({request.prompt_tokens, request.output_tokens, request.block_keys});

  const ReplayCounts& counts = replay.counts();
  CHECK(counts.requests == 12'031);
  CHECK(counts.prompt_tokens + counts.output_tokens == 148'915'871);
  CHECK(counts.hit_tokens == 6'567'257);
  CHECK(counts.evicted_tokens == 141'843'789);
  CHECK(counts.evict_calls == 5'268);

  replay.drain();
  CHECK(cache.tree().protected_tokens() == 0);
  CHECK(cache.tree().evictable_tokens() + cache.allocator().available() == 524'288);
  cache.tree().check_invariants();
}
