// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gui/paint/hatch.hpp"
#include "gui/paint/icons.hpp"
#include "gui/paint/palette.hpp"
#include "tests/gui/paint/colour_science.hpp"
#include "tests/gui/paint/themes.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::gui::test;

double lowest_distance(const Palette& p, const Matrix& seen_as) {
  double lowest = 1e9;
  for (std::size_t i = 0; i < block_classes; ++i)
    for (std::size_t j = i + 1; j < block_classes; ++j)
      lowest = std::min(lowest, ciede2000(lab(p.classes[i], seen_as), lab(p.classes[j], seen_as)));
  return lowest;
}

TEST_CASE("CIEDE2000 meets pairs of Sharma, Wu and Dalal's table 1") {
  const auto near = [](double v) { return Approx(v).margin(1e-4); };
  CHECK(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == near(2.0425));
  CHECK(ciede2000({50, 2.5, 0}, {73, 25, -18}) == near(27.1492));
  CHECK(ciede2000({50, -1.1848, -84.8006}, {50, 0, -82.7485}) == near(1.0000));
  CHECK(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) == near(1.2644));
  CHECK(ciede2000({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}) == near(0.9082));
}

TEST_CASE("classes stay apart with every colour-vision deficiency") {
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    CHECK(lowest_distance(p, normal) >= 17);
    CHECK(lowest_distance(p, deutan) >= 12.9);
    CHECK(lowest_distance(p, protan) >= 12.9);
    CHECK(lowest_distance(p, tritan) >= 11);
  }
}

TEST_CASE("neighbours among the sequences' colours stay apart") {
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    for (std::uint32_t i = 0; i < p.sequences.size(); ++i)
      for (const Matrix* seen_as : {&normal, &deutan, &protan}) {
        INFO("theme " << static_cast<int>(theme) << ", colours " << i << " and the next");
        CHECK(ciede2000(lab(p.sequence(i), *seen_as), lab(p.sequence(i + 1), *seen_as)) >= 16);
      }
  }
}

TEST_CASE("text has the contrast that WCAG 2 asks for") {
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    for (const QRgb ground : {p.panel, p.window, p.header, p.accent_tint})
      for (const QRgb ink : {p.ink, p.ink_2, p.ink_3})
        CHECK(contrast(ink, ground) >= 4.5);
    CHECK(contrast(p.accent, p.panel) >= 4.5);
    CHECK(contrast(p.on_accent, p.accent) >= 4.5);
    CHECK(contrast(p.error, p.error_tint) >= 4.5);
    CHECK(contrast(p.warning, p.warning_tint) >= 4.5);
    CHECK(contrast(p.done, p.panel) >= 4.5);
    CHECK(contrast(p.run_a, p.panel) >= 4.5);
    CHECK(contrast(p.run_b, p.panel) >= 4.5);
    CHECK(contrast(p.field_border, p.panel) >= 3);
    for (const BlockClass c : all_block_classes) {
      INFO("label of " << class_name(c));
      CHECK(contrast(p.label(c), p.of(c)) >= 4.5);
    }
  }
}

TEST_CASE("hatches of neighbours join") {
  for (const double scale : {1.0, 1.5, 2.0}) {
    for (const BlockClass c : all_block_classes) {
      const Hatch hatch(palette_of(Theme::light), c, scale);
      const int n = hatch.plain() ? 1 : static_cast<int>(24 * scale);  // all steps divide 24
      int inked = 0;
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
          if (hatch.at(x, y) != hatch.ground()) ++inked;
          if (scale != 1.5) CHECK(hatch.at(x, y) == hatch.at(x - n, y + n));
        }
      CHECK(hatch.plain() == (inked == 0));
      CHECK(inked * 2 <= n * n);  // the ground stays what is seen
    }
  }
}

TEST_CASE("ramps meet their stops and are even in between") {
  for (const Ramp& ramp : {age_ramp, score_ramp, difference_ramp})
    for (std::size_t i = 0; i < ramp.size(); ++i)
      CHECK(ramp_colour(ramp, static_cast<double>(i) / 4) == ramp[i]);
  CHECK(ramp_colour(score_ramp, -1) == score_ramp.front());
  CHECK(ramp_colour(score_ramp, std::nan("")) == score_ramp.front());
  CHECK(mix(0xFF000000, 0xFFFFFFFF, 0.42) == qRgb(107, 107, 107));
  const std::uint32_t first_of_step[] = {1, 2, 3, 5, 9}, last_of_step[] = {1, 2, 4, 8, 4000000000};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(reference_colour(first_of_step[i]) == score_ramp[i]);
    CHECK(reference_colour(last_of_step[i]) == score_ramp[i]);
  }
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(precision_colour(2U << i) == score_ramp[i]);
}

TEST_CASE("every icon draws something, inside its grid, and no two the same") {
  std::vector<QImage> seen;
  for (std::size_t i = 0; i < icon_count; ++i) {
    const Icon icon = static_cast<Icon>(i);
    INFO("icon " << i);
    const QRectF box = icon_path(icon).boundingRect();
    CHECK(std::min(box.left(), box.top()) >= 0.7);
    CHECK(std::max(box.right(), box.bottom()) <= 15.3);
    const QImage image = make_icon(icon).pixmap(32, 32).toImage();
    QImage blank = image;
    blank.fill(Qt::transparent);
    CHECK(image != blank);
    for (const QImage& other : seen)
      CHECK(image != other);
    seen.push_back(image);
  }
}

}  // namespace
