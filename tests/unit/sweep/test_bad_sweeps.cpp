// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/sweep/sweep.hpp"
#include "sim/units/error.hpp"
#include "tests/unit/sweep/bad_sweeps.hpp"

using namespace vacancy;

namespace {

std::string message_of(const test::BadSweep& bad) {
  try {
    load_sweep_text(bad.text, "bad.json", ".", bad.assignments);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("bad sweeps are refused with place, fault and remedy", "[bad]") {
  std::set<std::string> names;
  for (const auto& bad : test::bad_sweeps()) {
    CHECK(names.insert(bad.name).second);
    const std::string message = message_of(bad);
    INFO(bad.name << "\n" << message);
    CHECK_THAT(message,
               Catch::StartsWith(bad.head.starts_with("--") ? bad.head : "bad.json:" + bad.head));
    for (const std::string& words : bad.words)
      CHECK_THAT(message, Catch::Contains(words));
    CHECK_FALSE(message.empty());
    if (!message.empty()) CHECK((message.back() == '.' || message.back() == '?'));
  }
  CHECK(names.size() >= 80);
}

TEST_CASE("every prefix of a good sweep is refused without a crash", "[bad]") {
  const std::string good =
      R"({"scenario": {"workload": {"output_tokens": 9}}, "axes": {"grid": [{"key": "seed",
      "from": 1, "to": 9, "factor": 2}]}, "seeds": null, "plots": [{"x": "seed", "y": "run.events"}]})";
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(good.substr(0, length));
    CHECK_THROWS_AS(load_sweep_text(good.substr(0, length), "good.json", ".", {}), UserError);
  }
}
