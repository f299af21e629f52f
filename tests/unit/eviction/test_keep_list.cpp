// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/units/error.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

Tokens kept_of(Case c, const std::map<std::string, ParameterValue>& parameters) {
  return c.keep(*make_policy("keep_list", parameters)).at(0);
}

}  // namespace

TEST_CASE("keep_list: positions and ranges, in any order, overlapping, beyond the end") {
  Case c;
  const auto listed = [&](const char* text) { return kept_of(c, {{"tokens", std::string(text)}}); };
  CHECK(listed("0-3,17,40-42") == Tokens{0, 1, 2, 3, 17, 40, 41, 42});
  CHECK(listed(" 5 , 3 - 4 ") == Tokens{3, 4, 5});
  CHECK(listed("10-12,11,2-11") == Tokens{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(listed("62-4000000000") == Tokens{62, 63});
  CHECK(listed("").empty());
  c.live = {1, 17, 41};
  CHECK(listed("0-3,17,40-42") == c.live);
}

TEST_CASE("keep_list: a list that cannot be read is the user's error") {
  for (const char* text :
       {"x", "3-", "-3", "5-3", "1,,2", "1,", "1;2", "1 2", "4294967296", "1-2-3"}) {
    INFO(text);
    CHECK_THROWS_AS(make_policy("keep_list", {{"tokens", std::string(text)}}), UserError);
  }
}

TEST_CASE("keep_list: patterns") {
  Case c;
  c.length = 40;
  const auto pattern = [&](const char* name, std::int64_t period, std::int64_t chunk) {
    return kept_of(c,
                   {{"pattern", std::string(name)}, {"period", period}, {"chunk_tokens", chunk}});
  };
  CHECK(pattern("one_per_block", 1, 1) == Tokens{0, 16, 32});
  CHECK(pattern("every_nth", 15, 1) == Tokens{0, 15, 30});
  CHECK(pattern("chunks", 20, 3) == Tokens{0, 1, 2, 20, 21, 22});
  // The first live token of each block, where the blocks are by now.
  c.live = {3, 9, 20, 30, 39};
  c.slots = {0, 1, 16, 2, 17};
  CHECK(pattern("one_per_block", 1, 1) == Tokens{3, 20});
}

TEST_CASE("keep_list: protected tokens stay too, the budget does not matter") {
  Case c;
  c.options.budget = 2;
  c.options.protect = {2, 1};
  CHECK(kept_of(c, {{"tokens", std::string("5-9")}}) == Tokens{0, 1, 5, 6, 7, 8, 9, 63});
}
