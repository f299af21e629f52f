// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/lesson/expression.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

double value(const std::string& text) {
  return Expression(text).value([](const std::string& name) { return name == "x" ? 3.0 : 10.0; });
}

}  // namespace

TEST_CASE("Arithmetic binds as on paper") {
  CHECK(value("1 + 2 * x") == 7);
  CHECK(value("(1 + 2) * x") == 9);
  CHECK(value("2 ^ 3 ^ 2") == 512);
  CHECK(value("-2 ^ 2") == -4);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("100 / 10 / 5") == 2);
  CHECK(value("y * x / 2.5") == 12);
  CHECK(std::isinf(value("1 / 0")));
}

TEST_CASE("Names are listed once and can be replaced by their values") {
  const Expression law("e^B + e_2 * 16");
  CHECK(law.names() == std::vector<std::string>{"e", "B", "e_2"});
  CHECK(law.substituted([](const std::string& name) { return '<' + name + '>'; }) ==
        "<e>^<B> + <e_2> * 16");
}

TEST_CASE("What is no expression says where") {
  for (const char* wrong : {"", "1 +", "(1", "1 2", "a b", "1..2", "*", "2 ^", ")", "1e5", "π"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(Expression(wrong), UserError);
  }
  CHECK_THROWS_WITH(Expression("1 + * 2"), Catch::Contains("character 5"));
  CHECK_THROWS_AS(Expression(std::string(10'000, '(')), UserError);
  CHECK_THROWS_AS(Expression(std::string(10'000, '-') + '1'), UserError);
}
