// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/eviction/registry.hpp"
#include "sim/sweep/sweep.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("the matrices have every method") {
  for (const char* const file :
       {"/scenarios/sweeps/reclaim_matrix.json", "/scenarios/sweeps/scope_matrix.json"}) {
    INFO(file);
    const Sweep sweep = load_sweep(test::source_file(file), {});
    std::set<std::string> known = {"full", "keep_list"};
    const GridAxis& axis = std::get<Grid>(sweep.sampling).axes.at(0);
    REQUIRE(axis.name == "policy");
    for (const GridAxis::Value& value : axis.values)
      CHECK(known.insert(value.at.text).second);
    std::set<std::string> registered;
    for (const PolicyEntry& entry : policies())
      registered.insert(entry.info.name);
    CHECK(known == registered);
  }
}
