// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <regex>
#include <set>

#include "sim/sweep/plot.hpp"
#include "sim/sweep/plot_scale.hpp"
#include "sim/sweep/png.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;

namespace {

std::vector<std::string> tick_texts(const PlotAxis& axis, double low, double high) {
  std::vector<std::string> texts;
  const PlotScale scale(axis, low, high);
  for (const Tick& tick : scale.ticks())
    texts.push_back(tick.text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks stand at round numbers in the figure's unit") {
  CHECK(tick_texts({"n", "blocks", false, {}, {}}, 0, 122) ==
        Texts{"0", "25", "50", "75", "100", "125"});
  CHECK(tick_texts({"e", "share", false, {}, {}}, 0.02, 0.98) ==
        Texts{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"});
  CHECK(tick_texts({"b", "bytes", false, {}, {}}, 0x1p30, 0x1p32) ==
        Texts{"0", "1", "2", "3", "4"});
  CHECK(PlotScale({"b", "bytes", false, {}, {}}, 0x1p30, 0x1p32).label() == "b (GiB)");
  CHECK(tick_texts({"x", "", true, {}, {1, 2, 4, 8}}, 1, 8) == Texts{"1", "2", "4", "8"});
  CHECK(tick_texts({"x", "", true, {}, {}}, 0.01, 1000) ==
        Texts{"0.01", "0.1", "1", "10", "100", "1,000"});
  CHECK(tick_texts({"x", "", true, {}, {}}, 1.6, 3.1) == Texts{"2", "2.5", "3"});
  CHECK(tick_texts({"x", "", true, {}, {}}, 3, 60) == Texts{"5", "10", "20", "50"});
  CHECK(tick_texts({"x", "", true, {}, {}}, 1, 2e9) ==
        Texts{"1", "100", "10,000", "1,000,000", "100,000,000"});
}

TEST_CASE("every value has its place on its axis") {
  test::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const bool logarithmic = random.below(2) == 1;
    const double scale = std::pow(10.0, static_cast<double>(random.below(24)) - 9);
    double low = static_cast<double>(1 + random.below(1000)) * scale;
    double high = low + static_cast<double>(random.below(1000)) * scale;
    if (!logarithmic && random.below(3) == 0) low = -low;
    const PlotScale axis({"x", "", logarithmic, {}, {}}, low, high);
    INFO(low << " to " << high << (logarithmic ? ", logarithmic" : ""));
    CHECK(axis.position(low) >= -1e-9);
    CHECK(axis.position(high) <= 1 + 1e-9);
    CHECK(axis.position(low) <= axis.position(high));
    const auto& ticks = axis.ticks();
    CHECK(ticks.size() <= 12);
    if (!logarithmic) CHECK((ticks.size() >= 2 && ticks.size() <= 9));
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double at = axis.position(ticks[i].value);
      CHECK((at >= -1e-9 && at <= 1 + 1e-9));
      if (i > 0) CHECK(ticks[i].value > ticks[i - 1].value);
      if (i > 0) CHECK(ticks[i].text != ticks[i - 1].text);
    }
  }
}

TEST_CASE("a drawing is the same each time, and shows names as they are") {
  Plot plot;
  plot.title = "a < b & \"c\"";
  plot.x = {"x", "", false, {}, {}};
  plot.y = {"y", "share", false, {}, {}};
  plot.lines = true;
  plot.series = {{"one", {{1, 0.5, 0.1}, {2, 0.25, {}}}}, {"two", {{1, 0, {}}}}};
  plot.front = {{1, 0.5, {}}, {2, 0.25, {}}};
  const std::string svg = plot_svg(plot);
  CHECK(svg == plot_svg(plot));
  CHECK_THAT(svg, Catch::Contains("a &lt; b &amp; &quot;c&quot;") && Catch::Contains(">two<") &&
                      Catch::Contains("Pareto front"));
  CHECK(plot_svg(Plot{}).ends_with("</svg>\n"));  // no point at all
}

TEST_CASE("drawings of any number of series are whole and have no attribute twice") {
  Plot plot;
  for (int i = 0; i < 20; ++i)
    plot.series.push_back({"s" + std::to_string(i), {{i * 1.0, i * 2.0, 0.5}}});
  const std::string svg = plot_svg(plot);
  const std::regex tag("<[^>]*>"), attribute(" ([a-z-]+)=\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end; ++it) {
    const std::string text = it->str();
    std::set<std::string> names;
    for (std::sregex_iterator name(text.begin(), text.end(), attribute); name != end; ++name)
      CHECK(names.insert((*name)[1]).second);
  }
  const auto png = png_of_svg(svg);
  if (png) CHECK(png->starts_with("\x89PNG"));
}
