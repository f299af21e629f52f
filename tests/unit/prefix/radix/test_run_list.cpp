// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::flat;
using vacancy::test::ids;
using Numbers = std::vector<std::uint32_t>;

TEST_CASE("a run list merges what continues and keeps the rest apart") {
  SlotRuns list;
  list.append({1, 3});
  list.append({4, 2});
  list.append({9, 0});
  list.append({1, 1});
  CHECK(list.size() == 6);
  CHECK(list.runs().size() == 2);
  CHECK(flat(list) == Numbers{1, 2, 3, 4, 5, 1});
}

TEST_CASE("slices, truncation and erasure of a run list are those of a plain list") {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    SlotRuns list;
    for (std::uint32_t i = below(8); i > 0; --i)
      list.append({below(30), below(6)});
    Numbers plain = flat(list);
    const std::uint32_t last = below(plain.size() + 1), first = below(last + 1);

    SlotRuns slice;
    slice.append(list.view().slice(first, last));
    CHECK(flat(slice) == Numbers(plain.begin() + first, plain.begin() + last));

    list.truncate(last);
    list.erase_front(first);
    CHECK(list == slice);
  }
}

TEST_CASE("tokens are the same exactly if content and offset are") {
  CHECK(common_prefix(ids({1, 2, 3}), ids({1, 2, 4})) == 2);
  CHECK(common_prefix(ids({1}), ids({1, 2})) == 1);
  CHECK(common_prefix(ids({}), ids({1})) == 0);

  TokenRuns trace, longer, own, vocabulary;
  trace.append(trace_block(7, 5));
  longer.append(trace_block(7, 9));
  own.append(generated(7, 0, 5));
  vocabulary.append(token(7));
  CHECK(common_prefix(trace, longer) == 5);
  CHECK(common_prefix(trace, own) == 0);
  CHECK(common_prefix(trace, vocabulary) == 0);
  CHECK(common_prefix(own, vocabulary) == 0);
}

TEST_CASE("where runs begin does not matter to what is common") {
  TokenRuns a, b;
  a.append(generated(1, 0, 10));
  b.append(generated(1, 0, 3));
  b.append(generated(1, 3, 4));
  b.append(generated(2, 0, 3));
  CHECK(b.runs().size() == 2);
  CHECK(common_prefix(a, b) == 7);
  CHECK(common_prefix(a.view().slice(3, 10), b.view().slice(3, 10)) == 4);
}
