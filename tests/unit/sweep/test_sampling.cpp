// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sim/units/error.hpp"
#include "tests/unit/sweep/sweep_text.hpp"

using namespace vacancy;
using test::small_sweep;

namespace {

std::vector<std::string> texts_of(const Sweep& sweep) {
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < sweep.points(); ++i) {
    std::string text;
    for (const Coordinate& at : point_at(sweep.sampling, i).at)
      text += (text.empty() ? "" : " ") + at.text;
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> axis_texts(const std::string& axis) {
  return texts_of(small_sweep("{\"grid\": [" + axis + "]}"));
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a grid combines its axes, the last one fastest") {
  const Sweep sweep = small_sweep(R"({"grid": [{"key": "reclaim.kind", "values": ["none", "slide"]},
      {"name": "size", "choices": [{"label": "small", "set": {"cache.block_size": 4}},
                                   {"label": "as it is", "set": {}}]}]})");
  CHECK(sweep.axes == Texts{"reclaim.kind", "size"});
  CHECK(texts_of(sweep) == Texts{"none small", "none as it is", "slide small", "slide as it is"});
  const SweepPoint point = point_at(sweep.sampling, 2);
  REQUIRE(point.settings.size() == 2);
  CHECK(point.settings[0].path == "reclaim.kind");
  CHECK(point.settings[1].path == "cache.block_size");
}

TEST_CASE("ranges by steps, factors and logarithms") {
  const std::string key = R"({"key": "cache.block_size", "from": )";
  CHECK(axis_texts(key + R"(1, "to": 128, "factor": 2})") ==
        Texts{"1", "2", "4", "8", "16", "32", "64", "128"});
  CHECK(axis_texts(key + R"(2, "to": 9, "step": 3})") == Texts{"2", "5", "8"});
  CHECK(axis_texts(key + R"(1, "to": 100, "log_steps": 3})") == Texts{"1", "10", "100"});
  // 1, 1.26, 1.59, 2: rounded, and doubles dropped.
  CHECK(axis_texts(key + R"(1, "to": 2, "log_steps": 4})") == Texts{"1", "2"});
  const std::string share = R"({"key": "eviction.usage.arm", "from": )";
  CHECK(axis_texts(share + R"(0.1, "to": 0.4, "step": 0.1})") == Texts{"0.1", "0.2", "0.3", "0.4"});
}

TEST_CASE("a list has a column for each key that a point sets") {
  const Sweep sweep = small_sweep(R"({"list": [{"cache.block_size": 4},
      {"eviction.budget": 16, "cache.block_size": 2}]})");
  CHECK(sweep.axes == Texts{"cache.block_size", "eviction.budget"});
  CHECK(texts_of(sweep) == Texts{"4 ", "2 16"});
}

TEST_CASE("random points are in their bounds and depend on seed and number alone") {
  const auto sweep = [](int points, int seed) {
    return small_sweep(R"({"random": {"points": )" + std::to_string(points) + R"(, "seed": )" +
                       std::to_string(seed) + R"(, "keys": {
        "eviction.budget": {"integer": [4, 9]}, "eviction.usage.arm": {"uniform": [0.25, 0.5]},
        "eviction.usage.release": {"log_uniform": [0.001, 0.1]},
        "reclaim.kind": {"choice": ["none", "slide"]}}}})");
  };
  const Sweep many = sweep(2000, 7), few = sweep(10, 7), other = sweep(10, 8);
  const Texts all = texts_of(many);
  CHECK(std::equal(all.begin(), all.begin() + 10, texts_of(few).begin()));
  CHECK(texts_of(few) != texts_of(other));

  std::set<double> budgets;
  double below_middle = 0, slides = 0, arms = 0;
  for (std::uint64_t i = 0; i < many.points(); ++i) {
    const SweepPoint point = point_at(many.sampling, i);
    budgets.insert(*point.at[0].number);
    arms += *point.at[1].number;
    CHECK((*point.at[1].number >= 0.25 && *point.at[1].number <= 0.5));
    CHECK((*point.at[2].number >= 0.001 && *point.at[2].number <= 0.1));
    if (*point.at[2].number < 0.01) ++below_middle;  // the middle of the logarithms
    if (point.at[3].text == "slide") ++slides;
  }
  CHECK(budgets == std::set<double>{4, 5, 6, 7, 8, 9});
  // Six deviations of a binomial of 2,000 at 1/2, and of the mean of 2,000 uniform draws.
  CHECK(std::abs(below_middle - 1000) < 6 * std::sqrt(500));
  CHECK(std::abs(slides - 1000) < 6 * std::sqrt(500));
  CHECK(std::abs(arms / 2000 - 0.375) < 6 * 0.25 / std::sqrt(12 * 2000));
}

TEST_CASE("seeds are a list or a row") {
  const std::string axes = R"({"grid": [{"key": "cache.block_size", "values": [8]}]})";
  CHECK(small_sweep(axes).runs_per_point() == 1);
  CHECK(small_sweep(axes, R"(, "seeds": [4, 2])").seeds == std::vector<std::uint64_t>{4, 2});
  CHECK(small_sweep(axes, R"(, "seeds": {"first": 3, "count": 3})").seeds ==
        std::vector<std::uint64_t>{3, 4, 5});
}

TEST_CASE("numbers are written as people write them") {
  CHECK(tidy(0.1 + 0.2) == 0.3);
  CHECK(tidy(1e-300 * 3) == 3e-300);
  CHECK(tidy(-123456789012.4) == -123456789012.0);
  CHECK(tidy(0) == 0);
}
