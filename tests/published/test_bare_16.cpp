// SPDX-License-Identifier: Apache-2.0
// The Mooncake conversation trace in an engine's blocks of 16 tokens: bare caches over the full
// prompt blocks, no chain, no pins (spec engines §6).
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/block_strings.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/trace_string.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t small = 32768, large = 524288;  // blocks

long miss_digits(const ReferenceString& string, const std::string& policy, std::uint32_t capacity) {
  return std::lround((1 - CacheReplay{policy, capacity}.run(string).hit_ratio().value()) * 10000);
}

}  // namespace

TEST_CASE("bare blocks of 16: LRU and Belady; the ranking flips with the size") {
  const auto path = shared_file("data/mooncake/conversation_trace.jsonl");
  if (!path) return;
  const ReferenceString string = trace_string(*path, {512, 16, false});
  CHECK(string.contents().size() == 9044013);
  CHECK(string.unique() == 5662916);

  CHECK(miss_digits(string, "lru", small) == 9542);
  CHECK(miss_digits(string, "lru", large) == 7267);
  CHECK(miss_digits(string, "belady", small) == 8033);
  CHECK(miss_digits(string, "belady", large) == 6262);

  // W-TinyLFU beats LRU in the small cache and loses in the large one.
  CHECK(miss_digits(string, "w_tinylfu", small) < 9542);
  CHECK(miss_digits(string, "w_tinylfu", large) > 7267);
}
