// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/sweep/plot.hpp"
#include "sim/sweep/plot_scale.hpp"
#include "sim/sweep/svg.hpp"

namespace vacancy {

namespace {

using Anchor = Svg::Anchor;

// Colours of Okabe and Ito (2008) that are dark enough on white; with the marks, readers who see no
// colours tell series apart too.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#e69f00", "#56b4e9", "#555555"};
constexpr int mark_kinds = 8;

constexpr double text_size = 12, title_size = 15, small_size = 11;
constexpr double inner_width = 560, inner_height = 380, edge = 16, legend_line = 19;
constexpr double mark_radius = 4.2;

std::string stroke(std::string_view colour, std::string_view width = "1.6") {
  return "fill=\"none\" stroke=\"" + std::string(colour) + "\" stroke-width=\"" +
         std::string(width) + '"';
}

std::vector<SvgPoint> around(SvgPoint centre, std::initializer_list<SvgPoint> corners) {
  std::vector<SvgPoint> points;
  for (const SvgPoint& corner : corners)
    points.emplace_back(centre.first + corner.first, centre.second + corner.second);
  return points;
}

void draw_mark(Svg& svg, SvgPoint at, std::size_t series) {
  const std::string colour = colours[series % colours.size()];
  const std::string filled = "fill=\"" + colour + "\" stroke=\"#ffffff\" stroke-width=\"0.7\"";
  const double r = mark_radius, d = r * 1.25;
  switch (series % mark_kinds) {
    case 0:
      return svg.circle(at, r, filled);
    case 1:
      return svg.rectangle({at.first - r * 0.9, at.second - r * 0.9}, r * 1.8, r * 1.8, filled);
    case 2:
      return svg.path(around(at, {{0, -d}, {d, d * 0.8}, {-d, d * 0.8}}), filled, true);
    case 3:
      return svg.path(around(at, {{0, -d}, {d, 0}, {0, d}, {-d, 0}}), filled, true);
    case 4:
      return svg.path(around(at, {{0, d}, {d, -d * 0.8}, {-d, -d * 0.8}}), filled, true);
    case 5:
      return svg.circle(at, r * 0.9,
                        "fill=\"#ffffff\" stroke=\"" + colour + "\" stroke-width=\"1.8\"");
    case 6:
      return svg.rectangle({at.first - r * 0.8, at.second - r * 0.8}, r * 1.6, r * 1.6,
                           "fill=\"#ffffff\" stroke=\"" + colour + "\" stroke-width=\"1.8\"");
    default:
      svg.path(around(at, {{-r, -r}, {r, r}}), stroke(colour, "2.2"));
      svg.path(around(at, {{-r, r}, {r, -r}}), stroke(colour, "2.2"));
  }
}

struct Range {
  double low = 0, high = 0;
  bool known = false;

  void add(double value) {
    low = known ? std::min(low, value) : value;
    high = known ? std::max(high, value) : value;
    known = true;
  }
};

/// The values that an axis has to hold, error bars included.
Range range_of(const Plot& plot, bool along_x) {
  Range range;
  const bool positive = along_x ? plot.x.logarithmic : plot.y.logarithmic;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const double spread = along_x ? 0 : point.deviation.value_or(0);
      const double value = along_x ? point.x : point.y;
      range.add(value + spread);
      range.add(positive && value - spread <= 0 ? value : value - spread);
    }
  if (!range.known) range.add(1);
  return range;
}

class PlotDrawer {
 public:
  explicit PlotDrawer(const Plot& plot)
      : plot_(plot),
        x_(plot.x, range_of(plot, true).low, range_of(plot, true).high),
        y_(plot.y, range_of(plot, false).low, range_of(plot, false).high) {
    lay_out();
  }

  std::string draw() {
    draw_frame();
    draw_lines();
    draw_front();
    draw_points();
    draw_legend();
    return svg_.finish(width_, height_, plot_.title);
  }

 private:
  void lay_out() {
    double widest_y = 0, widest_x = 0;
    for (const Tick& tick : y_.ticks())
      widest_y = std::max(widest_y, text_width(tick.text, text_size));
    double last = 0;
    for (const Tick& tick : x_.ticks()) {
      const double at = x_.position(tick.value) * inner_width;
      const double width = text_width(tick.text, text_size);
      if (widest_x > 0 && at - last < (width + widest_x) / 2 + 6) turned_ = true;
      widest_x = std::max(widest_x, width);
      last = at;
    }
    left_ = edge + text_size + 14 + widest_y + 8;
    top_ = edge + title_size + (plot_.note.empty() ? 12 : 28);
    const double below = turned_ ? widest_x * 0.72 + text_size : text_size;
    bottom_ = 10 + below + 12 + text_size + edge;
    for (const PlotSeries& series : plot_.series)
      if (!series.name.empty())
        legend_width_ = std::max(legend_width_, text_width(series.name, text_size) + 34);
    if (legend_width_ > 0)
      legend_width_ = std::max(legend_width_, text_width(plot_.legend, text_size));
    if (!plot_.front.empty())
      legend_width_ = std::max(legend_width_, text_width("Pareto front", text_size) + 34);
    width_ = left_ + inner_width + edge + 8 + legend_width_;
    width_ = std::max(width_, text_width(plot_.title, title_size) + 2 * edge);
    height_ = top_ + std::max(inner_height + bottom_, legend_entries() * legend_line + edge);
  }

  double legend_entries() const {
    if (legend_width_ == 0) return 0;
    return static_cast<double>(plot_.series.size()) + (plot_.legend.empty() ? 0 : 1) +
           (plot_.front.empty() ? 0 : 1);
  }

  double x(double value) const { return left_ + x_.position(value) * inner_width; }
  double y(double value) const { return top_ + (1 - y_.position(value)) * inner_height; }
  SvgPoint at(const PlotPoint& point) const { return {x(point.x), y(point.y)}; }

  void draw_frame() {
    svg_.text({edge, edge + title_size * 0.8}, plot_.title, Anchor::start, title_size, 0,
              "font-weight=\"bold\"");
    if (!plot_.note.empty())
      svg_.text({edge, edge + title_size + 14}, plot_.note, Anchor::start, small_size, 0,
                "fill=\"#666666\"");
    const double right = left_ + inner_width, bottom = top_ + inner_height;
    for (const Tick& tick : y_.ticks()) {
      svg_.line({left_, y(tick.value)}, {right, y(tick.value)}, "stroke=\"#e2e2e2\"");
      svg_.text({left_ - 8, y(tick.value) + text_size * 0.36}, tick.text, Anchor::end, text_size);
    }
    for (const Tick& tick : x_.ticks()) {
      const double at = x(tick.value);
      svg_.line({at, bottom}, {at, bottom + 5}, "stroke=\"#222222\"");
      if (plot_.x.categories.empty()) svg_.line({at, top_}, {at, bottom}, "stroke=\"#f0f0f0\"");
      if (turned_)
        svg_.text({at + 4, bottom + 10 + text_size * 0.6}, tick.text, Anchor::end, text_size, -45);
      else
        svg_.text({at, bottom + 10 + text_size}, tick.text, Anchor::middle, text_size);
    }
    svg_.path({{left_, top_}, {left_, bottom}, {right, bottom}},
              "fill=\"none\" stroke=\"#222222\"");
    svg_.text({left_ + inner_width / 2, top_ + inner_height + bottom_ - edge}, x_.label(),
              Anchor::middle, text_size);
    svg_.text({edge + text_size * 0.8, top_ + inner_height / 2}, y_.label(), Anchor::middle,
              text_size, -90);
  }

  void draw_lines() {
    if (!plot_.lines) return;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      std::vector<SvgPoint> points;
      for (const PlotPoint& point : plot_.series[i].points)
        points.push_back(at(point));
      if (points.size() > 1) svg_.path(points, stroke(colours[i % colours.size()]));
    }
  }

  void draw_front() {
    std::vector<SvgPoint> points;
    for (const PlotPoint& point : plot_.front)
      points.push_back(at(point));
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() > 1) svg_.path(points, front_style);
    for (const SvgPoint& point : points)
      svg_.circle(point, ring_radius, ring_style);
  }

  void draw_points() {
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
      for (const PlotPoint& point : plot_.series[i].points) {
        draw_error_bar(point, colours[i % colours.size()]);
        draw_mark(svg_, at(point), i);
      }
  }

  void draw_error_bar(const PlotPoint& point, std::string_view colour) {
    if (!point.deviation || *point.deviation == 0) return;
    const double low = point.y - *point.deviation;
    const double top = y(point.y + *point.deviation);
    const double bottom = plot_.y.logarithmic && low <= 0 ? top_ + inner_height : y(low);
    const double centre = x(point.x);
    const std::string style = stroke(colour, "1.3");
    svg_.line({centre, top}, {centre, bottom}, style);
    for (const double end : {top, bottom})
      svg_.line({centre - 4, end}, {centre + 4, end}, style);
  }

  void draw_legend() {
    if (legend_width_ == 0) return;
    const double left = left_ + inner_width + edge + 8;
    double line = top_ + legend_line / 2;
    const auto name = [&](const std::string& text) {
      svg_.text({left + 28, line + text_size * 0.36}, text, Anchor::start, text_size);
      line += legend_line;
    };
    if (!plot_.legend.empty()) {
      svg_.text({left, line + text_size * 0.36}, plot_.legend, Anchor::start, text_size, 0,
                "fill=\"#666666\"");
      line += legend_line;
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      if (plot_.series[i].name.empty()) continue;
      if (plot_.lines)
        svg_.line({left, line}, {left + 22, line}, stroke(colours[i % colours.size()]));
      draw_mark(svg_, {left + 11, line}, i);
      name(plot_.series[i].name);
    }
    if (plot_.front.empty()) return;
    svg_.line({left, line}, {left + 22, line}, front_style);
    svg_.circle({left + 11, line}, ring_radius, ring_style);
    name("Pareto front");
  }

  static constexpr const char* front_style =
      "fill=\"none\" stroke=\"#222222\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
  static constexpr double ring_radius = 8;
  static constexpr const char* ring_style = "fill=\"none\" stroke=\"#222222\" stroke-width=\"1.2\"";

  const Plot& plot_;
  PlotScale x_, y_;
  bool turned_ = false;  // names of x ticks
  double left_ = 0, top_ = 0, bottom_ = 0, legend_width_ = 0, width_ = 0, height_ = 0;
  Svg svg_;
};

}  // namespace

std::string plot_svg(const Plot& plot) {
  return PlotDrawer(plot).draw();
}

}  // namespace vacancy
