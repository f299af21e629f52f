// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/json/parse.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using Catch::Contains;

TEST_CASE("a value is parsed, and only one") {
  CHECK(parse_strict(R"({"a": [1, 2.5, null]})", "x.json")["a"][1] == 2.5);
  CHECK_THROWS_WITH(parse_strict("{} {}", "x.json"), Contains("x.json: is not JSON"));
  CHECK_THROWS_AS(parse_strict("", "x.json"), UserError);
  CHECK_THROWS_AS(parse_strict("{\"a\": 1,}", "x.json"), UserError);
  CHECK_THROWS_AS(parse_strict("{\"a\": \"\xff\"}", "x.json"), UserError);
  CHECK_THROWS_AS(parse_strict("{\"a\": 1e999}", "x.json"), UserError);
}

TEST_CASE("a key that stands twice in one object is refused, in two objects not") {
  CHECK_NOTHROW(parse_strict(R"([{"a": {"a": 1}}, {"a": 2}])", "x.json"));
  CHECK_THROWS_WITH(parse_strict(R"({"b": {"a": 1, "a": 2}})", "x.json"),
                    Contains("x.json: the key \"a\" stands twice"));
}

TEST_CASE("deep nesting ends the reading before it ends the stack") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK_NOTHROW(parse_strict(nested(60), "x.json"));
  CHECK_THROWS_WITH(parse_strict(nested(100), "x.json"), Contains("nested more than 64 deep"));
  CHECK_THROWS_AS(parse_strict(std::string(1'000'000, '['), "x.json"), UserError);
  CHECK_THROWS_AS(parse_strict(std::string(1'000'000, '{'), "x.json"), UserError);
}
