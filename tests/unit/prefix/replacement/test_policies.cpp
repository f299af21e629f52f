// SPDX-License-Identifier: Apache-2.0
// Small cases worked out by hand: each one shows where a policy differs from LRU. '+' is a hit, '.'
// a miss; a letter is a block, and unless said otherwise a request of its own.
#include <catch2/catch.hpp>

#include "tests/support/block_strings.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::string pattern(const std::string& policy, std::uint32_t capacity, std::string_view letters,
                    const ParameterValues& parameters = {}) {
  return CacheReplay{policy, capacity, parameters}.pattern(string_of(letters));
}

std::string pattern(const std::string& policy, std::uint32_t capacity,
                    const std::vector<LetterRequest>& requests,
                    const ParameterValues& parameters = {}) {
  return CacheReplay{policy, capacity, parameters}.pattern(string_of(requests));
}

}  // namespace

// c puts out b, whose use is the oldest, so a is still there.
TEST_CASE("lru: the least recently used block goes") {
  CHECK(pattern("lru", 2, "abaca") == "..+.+");
  CHECK(pattern("lru", 2, "abca") == "....");
}

// c puts out a, which came first, although it was just used.
TEST_CASE("fifo: the block inserted first goes") {
  CHECK(pattern("fifo", 2, "abaca") == "..+..");
}

// c puts out b (1 use), not a (2 uses), which LRU would.
TEST_CASE("lfu: the block with the fewest uses goes, of those the least recently used") {
  CHECK(pattern("lfu", 2, "aabcb") == ".+...");
  CHECK(pattern("lru", 2, "aabcb") == ".+..+");
  CHECK(pattern("lfu", 2, "abca") == "....");
}

// b comes back with 1 + 1 uses; d then finds a and b with 2 each and puts out a, used before b.
// Counted since insertion b has 1 and goes.
TEST_CASE("lfu: remembered counts survive an eviction") {
  CHECK(pattern("lfu", 2, "aabcbdb") == ".+.....");
  CHECK(pattern("lfu", 2, "aabcbdb", {{"remember", true}}) == ".+....+");
}

// c puts out b, the last one used.
TEST_CASE("mru: the most recently used block goes") {
  CHECK(pattern("mru", 2, "abca") == "...+");
  CHECK(pattern("mru", 2, "abacb") == "..+.+");  // a was used after b
}

// c puts out b, the last one inserted, in both cases.
TEST_CASE("filo: the block inserted last goes") {
  CHECK(pattern("filo", 2, "abca") == "...+");
  CHECK(pattern("filo", 2, "abacb") == "..+..");
}

// c puts out b, whose priority is lower than a's; LRU puts out a.
TEST_CASE("priority: the block of the lowest priority goes, of those the least recently used") {
  CHECK(pattern("priority", 2, {{"a", 0, 1}, {"b", 0, 0}, {"c", 0, 0}, {"a", 0, 0}}) == "...+");
  CHECK(pattern("priority", 2, "abca") == "....");
  // a keeps the highest priority that any of its requests had.
  CHECK(pattern("priority", 2, {{"a"}, {"a", 0, 1}, {"a"}, {"b"}, {"c"}, {"a"}}) == ".++..+");
  // Negative ones are lower than none.
  CHECK(pattern("priority", 2, {{"a"}, {"b", 0, -1}, {"c"}, {"a"}}) == "...+");
}

// Blocks a and b are at positions 0 and 1 of their request. d puts out a (position 0, older than
// c), e then c (position 0), so b is still there when [ab] comes again: its a puts out d. LRU's e
// puts out b.
TEST_CASE("length_aware: among blocks with the fewest uses the one nearest to the start goes") {
  const std::vector<LetterRequest> requests = {{"ab"}, {"c"}, {"d"}, {"e"}, {"ab"}};
  CHECK(pattern("length_aware", 3, requests) == "......+");
  CHECK(pattern("lru", 3, requests) == ".......");
  // The count comes first: c at position 1 has one use, a at 0 has two.
  CHECK(pattern("length_aware", 2, {{"a"}, {"ac"}, {"d"}, {"a"}}) == ".+..+");
}

TEST_CASE("ttl: a block is dropped when its time is over, with room or without") {
  const std::vector<LetterRequest> requests = {{"a", 0}, {"a", 9}, {"a", 18}, {"a", 28}};
  CHECK(pattern("ttl", 0, requests, {{"seconds", 10.0}}) == ".++.");  // 18 + 10 = 28: over
  CHECK(pattern("ttl", 0, requests, {{"seconds", 10.0}, {"renewal", std::string("never")}}) ==
        ".+..");  // 0 + 10, then 18 + 10
  CHECK(pattern("lru", 0, requests) == ".+++");
}

// Without renewal a's deadline is the nearest although it was just used.
TEST_CASE("ttl: a full cache evicts the block with the nearest deadline") {
  const std::vector<LetterRequest> requests = {{"a", 0}, {"b", 1}, {"a", 2}, {"c", 3}, {"a", 4}};
  CHECK(pattern("ttl", 2, requests) == "..+.+");
  CHECK(pattern("ttl", 2, requests, {{"renewal", std::string("never")}}) == "..+..");
}

// H = L + cost: a 10, b 25 (position 1). c puts out a, L = 10, c 20. d puts out c, L = 20, d 30:
// b is still there. One more block, and b has aged out: e puts out b (25 < 30).
TEST_CASE("cost_aware: the block that is cheapest to compute again goes; unused ones age") {
  const ParameterValues parameters = {
      {"block_cost", std::int64_t{10}}, {"position_cost", std::int64_t{15}}, {"frequency", false}};
  CHECK(pattern("cost_aware", 2, {{"ab"}, {"c"}, {"d"}, {"b"}}, parameters) == "....+");
  CHECK(pattern("lru", 2, {{"ab"}, {"c"}, {"d"}, {"b"}}) == ".....");
  CHECK(pattern("cost_aware", 2, {{"ab"}, {"c"}, {"d"}, {"e"}, {"b"}}, parameters) == "......");
}

// a 2 x 10 = 20, b 10. c puts out b, L = 10, c 10 + 10 = 20. d finds two of 20 and puts out a,
// used before c. LFU keeps a for good.
TEST_CASE("cost_aware: uses multiply the price, and it still ages") {
  const ParameterValues parameters = {{"block_cost", std::int64_t{10}}};
  CHECK(pattern("cost_aware", 2, "aabca", parameters) == ".+..+");
  CHECK(pattern("lru", 2, "aabca") == ".+...");
  CHECK(pattern("cost_aware", 2, "aabcda", parameters) == ".+....");
  CHECK(pattern("lfu", 2, "aabcda") == ".+...+");
}

// a is protected after its second use; d and e put out b and c from the probationary segment.
TEST_CASE("slru: blocks used again outlive those used once") {
  const ParameterValues one = {{"protected_share", 0.34}};  // 1 of 3 blocks
  CHECK(pattern("slru", 3, "abacdea", one) == "..+...+");
  CHECK(pattern("lru", 3, "abacdea") == "..+....");
}

// b's promotion throws a back among those on probation, where d finds it first. With room for all
// above, SGLang's rule, d puts out c.
TEST_CASE("slru: a full protected segment gives its least recently used block back") {
  CHECK(pattern("slru", 3, "ababcda", {{"protected_share", 0.34}}) == "..++...");
  CHECK(pattern("slru", 3, "ababcda", {{"protected_share", 1.0}}) == "..++..+");
}

// Two hits to rise: a, hit once, is on probation and the oldest there when d comes; b, hit twice,
// is protected.
TEST_CASE("slru: promotion can ask for more hits") {
  CHECK(pattern("slru", 3, "abbbacdea", {{"promotion_hits", std::int64_t{1}}}) == "..+++...+");
  CHECK(pattern("slru", 3, "abbbacdea", {{"promotion_hits", std::int64_t{2}}}) == "..+++....");
  CHECK(pattern("slru", 3, "abbbacdeb", {{"promotion_hits", std::int64_t{2}}}) == "..+++...+");
}

// Four segments of which the upper three hold one block each. a rises to segment 2, b to 1 and
// falls no further than 0 when c rises to 1 as well: d puts out b, and a is out of reach.
TEST_CASE("slru: four segments are S4LRU") {
  const ParameterValues s4 = {{"segments", std::int64_t{4}}, {"protected_share", 0.75}};
  CHECK(pattern("slru", 4, "aaabbccdefa", s4) == ".++.+.+...+");
  CHECK(pattern("lru", 4, "aaabbccdefa") == ".++.+.+....");
  CHECK(pattern("slru", 4, "aaabbccdefb", s4) == ".++.+.+....");
  CHECK(pattern("slru", 4, "aaabbccdefc", s4) == ".++.+.+...+");
}

// Small queue 1, main queue 2, ghost 2 of 3 blocks. d puts out a (no hits). e: b has 2 hits and
// moves to the main queue, c goes: ghosts a, c. c again: d goes, ghosts c, d; c was a ghost and
// enters the main queue. f puts out e from the small queue, so c and b are hits. LRU has lost b.
TEST_CASE("s3_fifo: the small queue filters, ghosts return to the main queue") {
  const ParameterValues third = {{"small_share", 0.34}};
  CHECK(pattern("s3_fifo", 3, "abcbbdecfcb", third) == "...++....++");
  CHECK(pattern("lru", 3, "abcbbdecfcb") == "...++....+.");
  // Without ghosts c enters the small queue behind e: f puts out e, g puts out c.
  CHECK(pattern("s3_fifo", 3, "abcbbdecfgc", third) == "...++.....+");
  CHECK(pattern("s3_fifo", 3, "abcbbdecfgc", {{"small_share", 0.34}, {"ghost_share", 0.0}}) ==
        "...++......");
}

// e puts b and c into the main queue and d out. Then b has 1 hit there and c none. f moves e to the
// main queue, which is over its 2 blocks: b, though the oldest, gets another round, and c goes.
TEST_CASE("s3_fifo: the main queue spares blocks with hits") {
  CHECK(pattern("s3_fifo", 3, "bbbcccdebeefbc", {{"small_share", 0.34}}) == ".++.++..+++.+.");
  CHECK(pattern("lru", 3, "bbbcccdebeefbc") == ".++.++...++.+.");
}

// a is in T2 after its second use; c and d put out b and c from T1, whose target p is 0.
TEST_CASE("arc: a scan does not put out blocks that were used twice") {
  CHECK(pattern("arc", 2, "aabcda") == ".+...+");
  CHECK(pattern("lru", 2, "aabcda") == ".+....");
}

// T2 {a}, T1 {b}. c puts out b: B1 {b}. b is a ghost: p = 1, so T1 {c} is not above its target and
// a goes: B2 {a}, T2 {b}. a is a ghost of B2: p = 0, c goes: B1 {c}, T2 {b, a}. b is there, then a.
TEST_CASE("arc: hits on ghosts move the target between the two lists") {
  CHECK(pattern("arc", 2, "aabcbaba") == ".+....++");
  CHECK(pattern("lru", 2, "aabcbaba") == ".+..+.++");
}

// Window 1, main 2. a (2 uses) and b are in the main cache when d comes; c, 1 use, is the window's
// candidate and loses against a.
TEST_CASE("w_tinylfu: a new block does not put out one that is used more often") {
  const ParameterValues third = {{"window_share", 0.34}, {"protected_share", 0.5}};
  CHECK(pattern("w_tinylfu", 3, "aabcda", third) == ".+...+");
  CHECK(pattern("lru", 3, "aabcda") == ".+....");
  // d, used twice in the window, wins against a with 1 use; equal counts (c against a) keep a.
  CHECK(pattern("w_tinylfu", 3, "abcddeda", third) == "....+.+.");
  CHECK(pattern("w_tinylfu", 3, "abcda", third) == "....+");
}

// Next uses at c: a in 1, b in 2, c never. Without bypass c must enter and b goes.
TEST_CASE("belady: the block with the furthest next use goes, or does not enter") {
  CHECK(pattern("belady", 2, "abcab") == "...++");
  CHECK(pattern("belady", 2, "abcab", {{"bypass", false}}) == "...+.");
  CHECK(pattern("lru", 2, "abcab") == ".....");
}
