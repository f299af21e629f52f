// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vacancy::gui::test {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

inline Vector times(const Matrix& m, const Vector& v) {
  Vector r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      r[i] += m[i][j] * v[j];
  return r;
}

/// IEC 61966-2-1.
inline double linear(int channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

inline Vector linear_rgb(QRgb c) {
  return {linear(qRed(c)), linear(qGreen(c)), linear(qBlue(c))};
}

/// WCAG 2, relative luminance and contrast.
inline double contrast(QRgb a, QRgb b) {
  const auto luminance = [](QRgb c) {
    const Vector v = linear_rgb(c);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// Machado, Oliveira, Fernandes 2009, table of severity 1.0, for linear RGB.
inline constexpr Matrix normal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
inline constexpr Matrix protan = {{{0.152286, 1.052583, -0.204868},
                                   {0.114503, 0.786281, 0.099216},
                                   {-0.003882, -0.048116, 1.051998}}};
inline constexpr Matrix deutan = {{{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}}};
inline constexpr Matrix tritan = {{{1.255528, -0.076749, -0.178779},
                                   {-0.078411, 0.930809, 0.147602},
                                   {0.004733, 0.691367, 0.303900}}};

/// CIE L*a*b* (D65) of a colour as somebody with the deficiency sees it.
inline Vector lab(QRgb c, const Matrix& seen_as) {
  Vector rgb = times(seen_as, linear_rgb(c));
  for (double& v : rgb)
    v = std::clamp(v, 0.0, 1.0);
  constexpr Matrix to_xyz = {{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
  constexpr Vector white = {0.95047, 1.0, 1.08883};
  Vector f = times(to_xyz, rgb);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = f[i] / white[i];
    f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/// CIEDE2000, after Sharma, Wu, Dalal 2005.
inline double ciede2000(const Vector& p, const Vector& q) {
  using std::numbers::pi;
  const auto degrees = [](double y, double x) {
    if (x == 0 && y == 0) return 0.0;
    const double h = std::atan2(y, x) * 180 / pi;
    return h < 0 ? h + 360 : h;
  };
  const auto sine = [](double d) { return std::sin(d * pi / 180); };
  const auto cosine = [](double d) { return std::cos(d * pi / 180); };
  const auto seventh = [](double c) {
    const double c7 = std::pow(c, 7);
    return std::sqrt(c7 / (c7 + 6103515625.0));  // 25^7
  };
  const double mean_c = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
  const double g = 0.5 * (1 - seventh(mean_c));
  const double a1 = (1 + g) * p[1], a2 = (1 + g) * q[1];
  const double c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
  const double h1 = degrees(p[2], a1), h2 = degrees(q[2], a2);
  double dh = c1 * c2 == 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const double dl = q[0] - p[0], dc = c2 - c1;
  const double d_hue = 2 * std::sqrt(c1 * c2) * sine(dh / 2);
  const double l = (p[0] + q[0]) / 2, c = (c1 + c2) / 2;
  double h = h1 + h2;
  if (c1 * c2 != 0) {
    if (std::abs(h1 - h2) > 180) h += h < 360 ? 360 : -360;
    h /= 2;
  }
  const double t = 1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) -
                   0.20 * cosine(4 * h - 63);
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50));
  const double sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
  const double turn = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double rt = -2 * seventh(c) * sine(2 * turn);
  return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(d_hue / sh, 2) +
                   rt * (dc / sc) * (d_hue / sh));
}

}  // namespace vacancy::gui::test
