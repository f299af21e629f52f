// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vacancy {

using SvgPoint = std::pair<double, double>;

/// Writes the elements of a drawing, coordinates in hundredths of a pixel.
class Svg {
 public:
  enum class Anchor { start, middle, end };

  void line(SvgPoint from, SvgPoint to, std::string_view style);
  void path(const std::vector<SvgPoint>& points, std::string_view style, bool closed = false);
  void circle(SvgPoint centre, double radius, std::string_view style);
  void rectangle(SvgPoint corner, double width, double height, std::string_view style);
  /// `turned` degrees clockwise around its anchor.
  void text(SvgPoint at, std::string_view text, Anchor anchor, double size, double turned = 0,
            std::string_view style = "");

  /// The drawing, on white, with a title for those who cannot see it.
  std::string finish(double width, double height, std::string_view title) const;

 private:
  std::string body_;
};

/// How wide a text is at most, in pixels; fonts differ, so it errs on the wide side.
double text_width(std::string_view text, double size);

}  // namespace vacancy
