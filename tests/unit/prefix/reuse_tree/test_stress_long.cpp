// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/prefix/reuse_tree/stress.hpp"

using namespace vacancy::test;

TEST_CASE("10^6 random operations keep every invariant", "[property]") {
  stress(1000, 400, 2500);
}
