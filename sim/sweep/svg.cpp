// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/svg.hpp"

#include <charconv>

namespace vacancy {

namespace {

constexpr const char* font = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// Two decimals, as short as they get.
std::string number(double value) {
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 2).ptr;
  std::string text(digits, end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string attribute(std::string_view name, double value) {
  return ' ' + std::string(name) + "=\"" + number(value) + '"';
}

std::string styled(std::string_view style) {
  return style.empty() ? "" : ' ' + std::string(style);
}

}  // namespace

void Svg::line(SvgPoint from, SvgPoint to, std::string_view style) {
  body_ += "<line" + attribute("x1", from.first) + attribute("y1", from.second) +
           attribute("x2", to.first) + attribute("y2", to.second) + styled(style) + "/>\n";
}

void Svg::path(const std::vector<SvgPoint>& points, std::string_view style, bool closed) {
  body_ += "<path d=\"";
  for (std::size_t i = 0; i < points.size(); ++i)
    body_ += (i == 0 ? "M" : "L") + number(points[i].first) + ' ' + number(points[i].second);
  body_ += std::string(closed ? "Z" : "") + '"' + styled(style) + "/>\n";
}

void Svg::circle(SvgPoint centre, double radius, std::string_view style) {
  body_ += "<circle" + attribute("cx", centre.first) + attribute("cy", centre.second) +
           attribute("r", radius) + styled(style) + "/>\n";
}

void Svg::rectangle(SvgPoint corner, double width, double height, std::string_view style) {
  body_ += "<rect" + attribute("x", corner.first) + attribute("y", corner.second) +
           attribute("width", width) + attribute("height", height) + styled(style) + "/>\n";
}

void Svg::text(SvgPoint at, std::string_view text, Anchor anchor, double size, double turned,
               std::string_view style) {
  body_ +=
      "<text" + attribute("x", at.first) + attribute("y", at.second) + attribute("font-size", size);
  if (anchor != Anchor::start)
    body_ += std::string(" text-anchor=\"") + (anchor == Anchor::end ? "end" : "middle") + '"';
  if (turned != 0)
    body_ += " transform=\"rotate(" + number(turned) + ' ' + number(at.first) + ' ' +
             number(at.second) + ")\"";
  body_ += styled(style) + '>' + escaped(text) + "</text>\n";
}

std::string Svg::finish(double width, double height, std::string_view title) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
         attribute("height", height) + " viewBox=\"0 0 " + number(width) + ' ' + number(height) +
         "\" font-family=\"" + font + "\" fill=\"#222222\">\n<title>" + escaped(title) +
         "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body_ + "</svg>\n";
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u) continue;  // not the first byte of a character
    if (std::string_view("iljtf.,:;'|!()[] ").find(c) != std::string_view::npos)
      ems += 0.4;
    else if (std::string_view("mwMWOQG%@").find(c) != std::string_view::npos)
      ems += 0.95;
    else
      ems += c >= 'A' && c <= 'Z' ? 0.7 : 0.63;
  }
  return ems * size;
}

}  // namespace vacancy
