// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "sim/prefix/reference_string.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

using Keys = std::vector<std::uint64_t>;

std::vector<std::uint32_t> contents_of(const ReferenceString& string, std::uint32_t request) {
  std::vector<std::uint32_t> contents;
  for (std::uint64_t i = string.request(request).first_block; i < string.end_block(request); ++i)
    contents.push_back(string.contents()[i].value());
  return contents;
}

using Contents = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("keys become dense contents in order of appearance, whatever their values") {
  ReferenceString string({512, 512, true});
  string.add({Keys{900, ~0ull, 7}, 1500, SimTime(5), 2});
  string.add({Keys{900, 8}, 600, {}, 0});
  string.add({Keys{}, 0, {}, 0});
  CHECK(contents_of(string, 0) == Contents{0, 1, 2});
  CHECK(contents_of(string, 1) == Contents{0, 3});
  CHECK(contents_of(string, 2).empty());
  CHECK(string.requests() == 3);
  CHECK(string.unique() == 4);
  CHECK(string.content_bound() == 4);
  CHECK(string.input_tokens() == 2100);
  CHECK(string.request(0).arrival == SimTime(5));
  CHECK(string.request(0).priority == 2);
}

// 1,100 tokens: three keys, the last of 76 tokens.
TEST_CASE("a partial last block is a block only where it is said to be") {
  ReferenceString with({512, 512, true}), without({512, 512, false});
  for (ReferenceString* string : {&with, &without})
    string->add({Keys{1, 2, 3}, 1100, {}, 0});
  CHECK(contents_of(with, 0) == Contents{0, 1, 2});
  CHECK(contents_of(without, 0) == Contents{0, 1});
  CHECK(without.unique() == 2);
}

TEST_CASE("a trace without keys for partial blocks gives no blocks for them") {
  ReferenceString string({64, 64, true});
  string.add({Keys{1}, 127, {}, 0});
  CHECK(contents_of(string, 0) == Contents{0});
}

// Block j of the cache is part j mod 4 of key j/4 (spec engines §5): 36 tokens fill 9 blocks of 4.
TEST_CASE("keys split into smaller blocks: only full ones, and each its own content") {
  ReferenceString string({16, 4, false});
  string.add({Keys{50, 51, 52}, 39, {}, 0});
  CHECK(contents_of(string, 0) == Contents{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(string.unique() == 9);
  CHECK(string.content_bound() == 12);
  string.add({Keys{50, 51, 52}, 48, {}, 0});  // now the rest of key 52 occurs
  CHECK(contents_of(string, 1).back() == 11);
  CHECK(string.unique() == 12);
  string.add({Keys{50, 60}, 21, {}, 0});
  CHECK(contents_of(string, 2) == Contents{0, 1, 2, 3, 12});
  CHECK(string.unique() == 13);
}

TEST_CASE("a block size that does not divide the trace's is refused with both numbers") {
  CHECK_THROWS_WITH((ReferenceString({512, 48, false})),
                    Catch::Contains("48") && Catch::Contains("512"));
  CHECK_THROWS_AS((ReferenceString({512, 0, false})), UserError);
  CHECK_THROWS_AS((ReferenceString({0, 0, false})), UserError);
}
