// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gui/model/sweep/axis_values.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

using Names = std::vector<std::string>;

PointResult point(const std::string& block, const std::string& reclaim) {
  PointResult result;
  result.at = {{block, std::nullopt}, {reclaim, std::nullopt}};
  return result;
}

}  // namespace

TEST_CASE("An axis has its values in the order in which they come up") {
  Sweep sweep;
  SweepResults results;
  SECTION("of a grid before anything ran") {
    GridAxis axis{"block", {{{"8", 8.0}, {}}, {{"4", 4.0}, {}}}};
    sweep.sampling = Grid{{axis}};
    CHECK(values_of_axis(sweep, nullptr, 0) == Names{"8", "4"});
  }
  SECTION("of a list of points as they finish") {
    sweep.sampling = PointList{};
    CHECK(values_of_axis(sweep, nullptr, 0).empty());
    results.points = {point("8", "none"), point("4", ""), point("8", "slide")};
    CHECK(values_of_axis(sweep, &results, 0) == Names{"8", "4"});
    CHECK(values_of_axis(sweep, &results, 1) == Names{"none", "as in the scenario", "slide"});
  }
}

TEST_CASE("A hidden value hides the points that have it on its own axis") {
  HiddenValues hidden;
  CHECK_FALSE(hidden.hides(point("8", "none")));
  hidden.set_hidden(0, "8", true);
  CHECK(hidden.hides(point("8", "none")));
  CHECK_FALSE(hidden.hides(point("4", "8")));
  SECTION("together with those of other axes") {
    hidden.set_hidden(1, "as in the scenario", true);
    CHECK(hidden.hides(point("4", "")));
    CHECK_FALSE(hidden.hides(point("4", "none")));
  }
  SECTION("until it is shown again") {
    hidden.set_hidden(0, "8", false);
    CHECK_FALSE(hidden.hides(point("8", "none")));
  }
}

TEST_CASE("A card tells the values that are seen and counts the others") {
  HiddenValues hidden;
  const Names few = {"1", "4", "16"};
  CHECK(values_text(few, hidden, 0) == "1, 4, 16");
  hidden.set_hidden(0, "16", true);
  CHECK(values_text(few, hidden, 0) == "1, 4 · 1 of 3 hidden");
  CHECK(values_text(few, hidden, 1) == "1, 4, 16");
  hidden.set_hidden(0, "1", true);
  hidden.set_hidden(0, "4", true);
  CHECK(values_text(few, hidden, 0) == "3 of 3 hidden");
  const Names many = {"a", "b", "c", "d", "e", "f", "g", "h", "16", "i"};
  CHECK(values_text(many, hidden, 0) == "a, b, c, d, e, f, g, … 9 in all · 1 of 10 hidden");
}
