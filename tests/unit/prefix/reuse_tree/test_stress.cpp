// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scaled.hpp"
#include "tests/unit/prefix/reuse_tree/stress.hpp"

using namespace vacancy;
using namespace vacancy::test;

TEST_CASE("10^5 random operations keep every invariant, and memory has what the tree promises",
          "[property]") {
  stress(0, scaled(100), 1000);
}

TEST_CASE("an observer changes nothing", "[property]") {
  // The same prompts with and without one.
  ShadowMemory shadow(one_window(9, 4));
  Rig heard(one_window(9, 4), &shadow), unheard(one_window(9, 4));
  for (std::uint32_t id = 0; id < 300; ++id) {
    const Words prompt = counting(id % 7, 1 + id * 13 % 20);
    CHECK(heard.add(id, prompt) == unheard.add(id, prompt));
    CHECK(heard.table(id) == unheard.table(id));
    heard.release(id);
    unheard.release(id);
  }
  CHECK(heard.cache.counters() == unheard.cache.counters());
  CHECK(shadow.events() > 300);
}
