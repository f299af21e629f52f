// SPDX-License-Identifier: Apache-2.0
// Golden V-A and V-B of spec engines §1: what vLLM's own memory managers print, operation by
// operation, to the block id.
#include <catch2/catch.hpp>

#include "tests/support/vllm_use.hpp"

using namespace vacancy;
using namespace vacancy::test;
using Ids = VllmUse::Ids;

namespace {

/// Usage as the page prints it.
bool shows(const VllmUse& use, double usage) {
  return std::abs(use.manager().usage() - usage) < 0.0005;
}

const Ids a = ascending(100, 10);
const Ids first_eighteen = ascending(300, 18), first_sixteen = ascending(500, 16);

}  // namespace

TEST_CASE("golden V-A, vllm-main-2026-08") {
  VllmUse use(vllm_profile("vllm-main-2026-08", 4, 10));
  REQUIRE(use.admit(r0, a));
  CHECK(use.table(r0) == Ids{1, 2, 3});
  CHECK(use.free_queue() == Ids{4, 5, 6, 7, 8, 9, 10});
  CHECK(use.hashed() == Ids{1, 2});
  CHECK(shows(use, 0.300));

  REQUIRE(use.decode(r0, {200, 201, 202}));
  CHECK(use.table(r0) == Ids{1, 2, 3, 4});
  CHECK(use.free_queue() == Ids{5, 6, 7, 8, 9, 10});
  CHECK(use.hashed() == Ids{1, 2, 3});
  CHECK(shows(use, 0.400));

  REQUIRE(use.admit(r1, a));
  CHECK(use.hit() == 8);
  CHECK(use.table(r1) == Ids{1, 2, 5});
  CHECK(use.free_queue() == Ids{6, 7, 8, 9, 10});
  CHECK(shows(use, 0.500));

  use.finish(r0);
  CHECK(use.free_queue() == Ids{4, 6, 7, 8, 9, 10, 3});
  CHECK(use.hashed() == Ids{1, 2, 3});
  CHECK(shows(use, 0.300));

  REQUIRE(use.admit(r2, Ids(a.begin(), a.begin() + 8)));
  CHECK(use.hit() == 4);
  CHECK(use.table(r2) == Ids{1, 4});
  CHECK(use.free_queue() == Ids{6, 7, 8, 9, 10, 3});
  CHECK(use.hashed() == Ids{1, 2, 3, 4});

  use.finish(r1);
  CHECK(use.free_queue() == Ids{5, 6, 7, 8, 9, 10, 3, 2});
  use.finish(r2);
  CHECK(use.free_queue() == Ids{5, 6, 7, 8, 9, 10, 3, 2, 4, 1});
  CHECK(shows(use, 0.000));

  REQUIRE(use.admit(r3, first_eighteen));
  CHECK(use.hit() == 0);
  CHECK(use.table(r3) == Ids{5, 6, 7, 8, 9});
  CHECK(use.free_queue() == Ids{10, 3, 2, 4, 1});
  CHECK(use.hashed() == Ids{1, 2, 3, 4, 5, 6, 7, 8});

  // V6: of the two blocks with A[4:8], the older is found.
  REQUIRE(use.admit(r4, joined(a, {1, 2})));
  CHECK(use.hit() == 8);
  CHECK(use.table(r4) == Ids{1, 2, 10});
  CHECK(use.free_queue() == Ids{3, 4});
  CHECK(shows(use, 0.800));

  const Ids hashed = use.hashed();
  CHECK_FALSE(use.admit(r5, first_sixteen));
  CHECK(use.free_queue() == Ids{3, 4});
  CHECK(use.hashed() == hashed);

  use.finish(r3);
  CHECK(use.free_queue() == Ids{9, 3, 4, 8, 7, 6, 5});
  REQUIRE(use.admit(r5, first_sixteen));
  CHECK(use.table(r5) == Ids{9, 3, 4, 8});
  CHECK(use.free_queue() == Ids{7, 6, 5});
  CHECK(use.hashed() == ascending(1, 10));
  use.manager().cache()->check_invariants();
}

TEST_CASE("golden V-A, vllm-0.10.0") {
  VllmUse use(vllm_profile("vllm-0.10.0", 4, 10));
  REQUIRE(use.admit(r0, a));
  CHECK(use.table(r0) == Ids{1, 2, 3});
  REQUIRE(use.decode(r0, {200, 201, 202}));
  CHECK(use.table(r0) == Ids{1, 2, 3, 4});
  CHECK(shows(use, 0.455));
  REQUIRE(use.admit(r1, a));
  CHECK(use.hit() == 8);
  CHECK(use.table(r1) == Ids{1, 2, 5});
  CHECK(shows(use, 0.545));

  use.finish(r0);
  CHECK(use.free_queue() == Ids{6, 7, 8, 9, 10, 4, 3});
  CHECK(shows(use, 0.364));
  REQUIRE(use.admit(r2, Ids(a.begin(), a.begin() + 8)));
  CHECK(use.hit() == 4);
  CHECK(use.table(r2) == Ids{1, 6});
  CHECK(use.free_queue() == Ids{7, 8, 9, 10, 4, 3});
  CHECK(use.hashed() == Ids{1, 2, 3, 6});

  use.finish(r1);
  CHECK(use.free_queue() == Ids{7, 8, 9, 10, 4, 3, 5, 2});
  use.finish(r2);
  CHECK(use.free_queue() == Ids{7, 8, 9, 10, 4, 3, 5, 2, 6, 1});
  CHECK(shows(use, 0.091));

  REQUIRE(use.admit(r3, first_eighteen));
  CHECK(use.table(r3) == Ids{7, 8, 9, 10, 4});
  CHECK(use.free_queue() == Ids{3, 5, 2, 6, 1});
  CHECK(use.hashed() == Ids{1, 2, 3, 6, 7, 8, 9, 10});
  REQUIRE(use.admit(r4, joined(a, {1, 2})));
  CHECK(use.hit() == 8);
  CHECK(use.table(r4) == Ids{1, 2, 3});
  CHECK(use.free_queue() == Ids{5, 6});
  CHECK(shows(use, 0.818));

  CHECK_FALSE(use.admit(r5, first_sixteen));
  CHECK(use.free_queue() == Ids{5, 6});
  use.finish(r3);
  CHECK(use.free_queue() == Ids{5, 6, 4, 10, 9, 8, 7});
  REQUIRE(use.admit(r5, first_sixteen));
  CHECK(use.table(r5) == Ids{5, 6, 4, 10});
  CHECK(use.free_queue() == Ids{9, 8, 7});
  use.manager().cache()->check_invariants();
}

namespace {

const Ids golden_prompt = ascending(100, 21);
const Ids golden_output = {200, 201, 202, 203};
constexpr std::uint32_t full = 0, window = 1;

HashChainOptions two_groups(bool sparse) {
  HashChainOptions options = vllm_profile("vllm-main-2026-08", 4, 24);
  options.groups = {CacheGroup{}, CacheGroup{8}};
  options.sparse_window_hashes = sparse;
  options.max_in_flight_tokens = 12;
  return options;
}

Ids sibling() {
  return joined(Ids(golden_prompt.begin(), golden_prompt.begin() + 16), ascending(300, 5));
}

}  // namespace

TEST_CASE("golden V-B, retention interval none: every full block of a window is hashed") {
  VllmUse use(two_groups(false));
  REQUIRE(use.admit(r0, golden_prompt, {.budget = 12}));
  CHECK(use.table(r0, full) == Ids{1, 2, 3});
  CHECK(use.table(r0, window) == Ids{4, 5, 6});
  CHECK(use.hashed() == ascending(1, 6));

  REQUIRE(use.chunk(r0, 9));
  CHECK(use.table(r0, full) == Ids{1, 2, 3, 7, 8, 9});
  CHECK(use.table(r0, window) == Ids{0, 5, 6, 10, 11, 12});
  CHECK(use.free_queue() == joined(ascending(13, 12), {4}));
  CHECK(use.hashed() == Ids{1, 2, 3, 4, 5, 6, 7, 8, 10, 11});

  REQUIRE(use.decode(r0, golden_output));
  CHECK(use.table(r0, full) == Ids{1, 2, 3, 7, 8, 9, 13});
  CHECK(use.table(r0, window) == Ids{0, 0, 0, 0, 11, 12, 14});
  CHECK(use.free_queue() == joined(ascending(15, 10), {4, 6, 5, 10}));

  use.finish(r0);
  CHECK(use.free_queue() ==
        joined(joined({14, 13}, ascending(15, 10)), {4, 6, 5, 10, 9, 8, 7, 3, 2, 1, 12, 11}));

  SECTION("a sibling that shares 16 tokens") {
    REQUIRE(use.admit(r1, sibling()));
    CHECK(use.hit() == 16);
    CHECK(use.boundary(r1) == 0);
    const Ids in_full = use.table(r1, full), in_window = use.table(r1, window);
    CHECK(Ids(in_full.begin(), in_full.begin() + 4) == Ids{1, 2, 3, 7});
    CHECK(Ids(in_window.begin(), in_window.begin() + 4) == Ids{0, 0, 6, 10});
  }
  SECTION("the same prompt") {
    REQUIRE(use.admit(r1, golden_prompt));
    CHECK(use.hit() == 20);
    CHECK(use.table(r1, full) == Ids{1, 2, 3, 7, 8, 14});
    CHECK(use.table(r1, window) == Ids{0, 0, 0, 10, 11, 13});
  }
  use.manager().cache()->check_invariants();
}

TEST_CASE("golden V-B, retention interval 0: a window is hashed where a prompt ends (V28)") {
  VllmUse use(two_groups(true));
  REQUIRE(use.admit(r0, golden_prompt, {.budget = 12}));
  CHECK(use.table(r0, full) == Ids{1, 2, 3});
  CHECK(use.table(r0, window) == Ids{4, 5, 6});
  CHECK(use.hashed() == Ids{1, 2, 3});

  REQUIRE(use.chunk(r0, 9));
  CHECK(use.table(r0, full) == Ids{1, 2, 3, 4, 7, 8});
  CHECK(use.table(r0, window) == Ids{0, 5, 6, 9, 10, 11});
  CHECK(use.free_queue() == ascending(12, 13));
  CHECK(use.hashed() == Ids{1, 2, 3, 4, 7, 9, 10});

  REQUIRE(use.decode(r0, golden_output));
  CHECK(use.table(r0, full) == Ids{1, 2, 3, 4, 7, 8, 6});
  CHECK(use.table(r0, window) == Ids{0, 0, 0, 0, 10, 11, 5});
  CHECK(use.free_queue() == joined(ascending(12, 13), {9}));

  use.finish(r0);
  CHECK(use.free_queue() ==
        joined(joined({5, 11, 6}, ascending(12, 13)), {9, 8, 7, 4, 3, 2, 1, 10}));

  SECTION("a first sibling misses and sets the boundary, so a second one hits") {
    REQUIRE(use.admit(r1, sibling()));
    CHECK(use.hit() == 0);
    CHECK(use.boundary(r1) == 16);
    use.finish(r1);
    REQUIRE(use.admit(
        r2, joined(Ids(golden_prompt.begin(), golden_prompt.begin() + 16), ascending(400, 5))));
    CHECK(use.hit() == 16);
    CHECK(use.boundary(r2) == 0);
  }
  SECTION("the same prompt") {
    REQUIRE(use.admit(r1, golden_prompt));
    CHECK(use.hit() == 20);
    CHECK(use.table(r1, full) == Ids{1, 2, 3, 4, 7, 5});
    CHECK(use.table(r1, window) == Ids{0, 0, 0, 9, 10, 11});
  }
  use.manager().cache()->check_invariants();
}
