// SPDX-License-Identifier: Apache-2.0
// Hit ratios of one pool of prefix blocks on the Mooncake conversation trace (FAST'25 release,
// 12,031 requests): one global pool of 512-token blocks, requests in file order, each served whole,
// the partial last block is a block, outputs are not inserted. Rows C-1, C-2 and C-6 of the
// project's table of published figures.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "tests/support/block_strings.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/trace_string.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t unlimited = 0;
constexpr std::uint32_t capacities[] = {1000, 10000, 30000, 50000, 100000, unlimited};

/// The trace as blocks of 512 tokens, read once; null where it is absent.
const ReferenceString* mooncake() {
  static const auto string = []() -> std::optional<ReferenceString> {
    const auto path = shared_file("data/mooncake/conversation_trace.jsonl");
    if (!path) return std::nullopt;
    return trace_string(*path, {512, 512, true});
  }();
  return string ? &*string : nullptr;
}

/// A ratio in units of 10^-4, as the table prints it.
long digits(std::optional<double> ratio) {
  return std::lround(ratio.value() * 10000);
}

struct Row {
  CacheReplay replay;
  std::vector<long> hits;  // in the order of `capacities`
};

}  // namespace

TEST_CASE("Mooncake: what the trace holds") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  CHECK(string->requests() == 12031);
  CHECK(string->contents().size() == 288500);
  CHECK(string->unique() == 182790);
  CHECK(string->input_tokens() == 144793823);
}

TEST_CASE("C-6: 75.8 % of the blocks are used once") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  std::vector<std::uint32_t> uses(string->content_bound(), 0);
  for (const ContentIndex content : string->contents())
    ++uses[content.value()];
  CHECK(std::count(uses.begin(), uses.end(), 1u) == 138646);
  CHECK(*std::max_element(uses.begin(), uses.end()) == 12031);
}

TEST_CASE("C-1: hit ratios by policy and capacity") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  constexpr auto any = HitCount::any, pfx = HitCount::leading;
  constexpr auto fwd = TouchOrder::forward, rev = TouchOrder::reverse;
  const Row rows[] = {
      {{"lru", 0, {}, any, fwd}, {445, 2112, 3257, 3546, 3637, 3664}},
      {{"lru", 0, {}, pfx, rev}, {445, 2116, 3257, 3546, 3637, 3664}},
      {{"lfu", 0, {}, any, fwd}, {481, 1318, 2759, 3438, 3631, 3664}},
      {{"lfu", 0, {}, pfx, rev}, {481, 1322, 2761, 3438, 3631, 3664}},
      {{"length_aware", 0, {}, any, fwd}, {469, 1003, 1710, 2244, 3173, 3664}},
      {{"length_aware", 0, {}, pfx, fwd}, {417, 524, 1158, 1486, 2486, 3664}},
      {{"belady", 0, {}, any, fwd}, {1907, 3664, 3664, 3664, 3664, 3664}},
  };
  for (Row row : rows)
    for (std::size_t i = 0; i < std::size(capacities); ++i) {
      row.replay.capacity = capacities[i];
      INFO(row.replay.policy << ", " << enum_name(row.replay.count) << ", " << capacities[i]);
      CHECK(digits(row.replay.run(*string).hit_ratio()) == row.hits[i]);
    }
}

TEST_CASE("C-1: LRU at small and round capacities") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  struct Point {
    std::uint32_t capacity;
    long any_forward, leading_reverse;
  };
  const Point points[] = {{19, 253, 417},      {195, 417, 419},     {1953, 532, 533},
                          {3906, 839, 848},    {7812, 1744, 1749},  {9765, 2061, 2071},
                          {15625, 2609, 2611}, {19531, 2852, 2852}, {97656, 3635, 3635}};
  for (const auto& [capacity, any_forward, leading_reverse] : points) {
    INFO(capacity);
    CHECK(digits(CacheReplay{"lru", capacity}.run(*string).hit_ratio()) == any_forward);
    const CacheReplay reverse{"lru", capacity, {}, HitCount::leading, TouchOrder::reverse};
    CHECK(digits(reverse.run(*string).hit_ratio()) == leading_reverse);
  }
}

TEST_CASE("C-1: LRU at 1, 5, 10, 25 and 50 % of the unique blocks") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  const std::pair<std::uint32_t, long> points[] = {
      {1827, 523}, {9139, 1954}, {18279, 2784}, {45697, 3535}, {91395, 3631}};
  for (const auto& [capacity, hits] : points)
    CHECK(digits(CacheReplay{"lru", capacity}.run(*string).hit_ratio()) == hits);
}

TEST_CASE("C-1: LRU by tokens, and the mean over requests") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  const long tokens[] = {454, 2153, 3321, 3615, 3708, 3736};
  const long means[] = {1452, 2754, 3606, 3781, 3829, 3843};
  for (std::size_t i = 0; i < std::size(capacities); ++i) {
    const BlockCacheResult result = CacheReplay{"lru", capacities[i]}.run(*string);
    CHECK(digits(result.token_hit_ratio()) == tokens[i]);
    CHECK(digits(result.mean_request_hit_ratio()) == means[i]);
  }
}

TEST_CASE("C-1: Belady between 1,000 and 10,000 blocks") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  const std::pair<std::uint32_t, long> points[] = {{2000, 2550}, {3000, 2945}, {5000, 3412}};
  for (const auto& [capacity, hits] : points)
    CHECK(digits(CacheReplay{"belady", capacity}.run(*string).hit_ratio()) == hits);
}

// At 1,000 and 10,000 blocks the published row has .0680 and .1943, which the plain rule (a count
// is the number of all uses so far) does not give: it gives .0811 and .1879.
TEST_CASE("C-1: LFU with counts that survive eviction") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  const std::pair<std::uint32_t, long> points[] = {
      {1000, 811}, {10000, 1879}, {30000, 2796}, {50000, 3430}, {100000, 3631}, {unlimited, 3664}};
  for (const auto& [capacity, hits] : points) {
    const CacheReplay replay{"lfu", capacity, {{"remember", true}}};
    CHECK(digits(replay.run(*string).hit_ratio()) == hits);
  }
}

TEST_CASE("C-2: LRU, LFU, LengthAware in this order; Belady above all; all equal unbounded") {
  const ReferenceString* string = mooncake();
  if (string == nullptr) return;
  for (const std::uint32_t capacity : {10000u, 30000u, 50000u}) {
    const auto hits = [&](const char* policy) {
      return CacheReplay{policy, capacity}.run(*string).hits;
    };
    CHECK(hits("lru") > hits("lfu"));
    CHECK(hits("lfu") > hits("length_aware"));
  }
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    for (const std::uint32_t capacity : {1000u, 3000u, 10000u})
      CHECK(CacheReplay{entry.info.name, capacity}.run(*string).hits <=
            CacheReplay{"belady", capacity}.run(*string).hits);
    // Of an hour of trace, ttl's 5 minutes lose some.
    const bool expires = entry.info.name == "ttl";
    const auto unbounded = CacheReplay{entry.info.name, unlimited}.run(*string).hits;
    CHECK((unbounded == 105710) != expires);
  }
}

// 60 Claude Code conversations (callanjfox/kv-cache-tester), all starting at t = 0, keys of 64
// tokens that are local to a conversation. A request matches the leading blocks present at arrival
// and then touches its blocks last to first. Row P-1 of the table.
TEST_CASE("P-1: LRU on Claude Code conversations, sub-tasks as written (A) or at their start (B)") {
  const auto path = shared_file("data/claude-code-sessions/sessions-000-059.jsonl.gz");
  if (!path) return;
  struct Rule {
    NestedTime nested_time;
    double blocks[6], tokens[6];
  };
  const Rule rules[] = {
      {NestedTime::as_written,
       {0.600105, 0.830644, 0.944181, 0.950212, 0.950232, 0.950232},
       {0.599940, 0.830415, 0.943922, 0.949950, 0.949971, 0.949971}},
      {NestedTime::absolute,
       {0.605993, 0.835079, 0.945404, 0.950212, 0.950232, 0.950232},
       {0.605826, 0.834849, 0.945145, 0.949950, 0.949971, 0.949971}},
  };
  const std::uint32_t sizes[] = {10000, 30000, 100000, 300000, 1000000, unlimited};
  for (const Rule& rule : rules) {
    const ReferenceString string = trace_string(*path, {64, 64, false}, rule.nested_time);
    CHECK(string.requests() == 4204);
    CHECK(string.contents().size() == 7531761);
    CHECK(string.unique() == 374840);
    CHECK(string.input_tokens() == 482165216);
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      const CacheReplay replay{"lru", sizes[i], {}, HitCount::leading, TouchOrder::reverse};
      const BlockCacheResult result = replay.run(string);
      INFO(sizes[i]);
      CHECK(std::round(*result.hit_ratio() * 1e6) == std::round(rule.blocks[i] * 1e6));
      CHECK(std::round(*result.token_hit_ratio() * 1e6) == std::round(rule.tokens[i] * 1e6));
    }
  }
}
