// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/palette.hpp"

#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <bit>
#include <cmath>

#include "gui/model/legend.hpp"

namespace vacancy::gui {
namespace {

constexpr QRgb rgb(std::uint32_t hex) {
  return 0xFF000000U | hex;
}

constexpr Palette light = {
    .window = rgb(0xF3F5F7),
    .panel = rgb(0xFFFFFF),
    .header = rgb(0xF8F9FB),
    .rule = rgb(0xDFE3E8),
    .field_border = rgb(0x8A949F),
    .ink = rgb(0x1A2027),
    .ink_2 = rgb(0x48525E),
    .ink_3 = rgb(0x5F6A76),
    .halo = rgb(0xFFFFFF),
    .accent = rgb(0x4548B0),
    .on_accent = rgb(0xFFFFFF),
    .accent_tint = rgb(0xECEDF9),
    .error = rgb(0xA3170F),
    .error_tint = rgb(0xFDEDEB),
    .warning = rgb(0x7A5200),
    .warning_tint = rgb(0xFFF5DA),
    .done = rgb(0x0A6B52),
    .run_a = rgb(0x4548B0),
    .run_b = rgb(0x8A5A00),
    .grid_line = rgb(0xE9ECF0),
    .classes = {rgb(0x1F6FB0), rgb(0x0FA183), rgb(0x6F1456), rgb(0xEC9A5C), rgb(0xF9E88E),
                rgb(0x93CBF4), rgb(0xE7EBEF), rgb(0xA29DB2), rgb(0x5D6468)},
    .hatches = {rgb(0x1F6FB0), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xD27A38), rgb(0xBFA12A),
                rgb(0x5FA5D8), rgb(0xE7EBEF), rgb(0xFFFFFF), rgb(0xFFFFFF)},
    .labels = {rgb(0xFFFFFF), rgb(0x0B0D10), rgb(0xFFFFFF), rgb(0x1F0F03), rgb(0x1A2027),
               rgb(0x1A2027), rgb(0x48525E), rgb(0x0B0D10), rgb(0xFFFFFF)},
    .sequences = {rgb(0x5D6468), rgb(0xE0A100), rgb(0xB79AD9), rgb(0xE07A5F), rgb(0x4A3A8C),
                  rgb(0x2E6B4F), rgb(0x6BB7E8), rgb(0x1F6FB0), rgb(0x0FA183), rgb(0x8C4A1F),
                  rgb(0xB0417E), rgb(0xC9C74A)}};

constexpr Palette dark = {
    .window = rgb(0x14171B),
    .panel = rgb(0x1B1F24),
    .header = rgb(0x1F242A),
    .rule = rgb(0x2F353D),
    .field_border = rgb(0x6C7682),
    .ink = rgb(0xE9ECEF),
    .ink_2 = rgb(0xB7BFC8),
    .ink_3 = rgb(0x939DA8),
    .halo = rgb(0x0B0D10),
    .accent = rgb(0xA9ADF7),
    .on_accent = rgb(0x14171B),
    .accent_tint = rgb(0x2B2E4B),
    .error = rgb(0xFF9A8F),
    .error_tint = rgb(0x3A1F1D),
    .warning = rgb(0xF0C667),
    .warning_tint = rgb(0x352B14),
    .done = rgb(0x4FD6AE),
    .run_a = rgb(0xA9ADF7),
    .run_b = rgb(0xE3B45C),
    .grid_line = rgb(0x262C33),
    .classes = {rgb(0x62ABF0), rgb(0x35DBA6), rgb(0xEFD0EF), rgb(0xA86329), rgb(0xBDB25A),
                rgb(0x3A549C), rgb(0x272C33), rgb(0x6E736C), rgb(0xA6A3B3)},
    .hatches = {rgb(0x62ABF0), rgb(0x0B0D10), rgb(0x0B0D10), rgb(0x7C4517), rgb(0x857B2E),
                rgb(0x6483CC), rgb(0x272C33), rgb(0x1B1F24), rgb(0x1B1F24)},
    .labels = {rgb(0x0B0D10), rgb(0x0B0D10), rgb(0x0B0D10), rgb(0xFFFFFF), rgb(0x0B0D10),
               rgb(0xFFFFFF), rgb(0xB7BFC8), rgb(0xFFFFFF), rgb(0x0B0D10)},
    .sequences = {rgb(0x9AA3AA), rgb(0xE8B84A), rgb(0xD3BFF0), rgb(0xF0A08C), rgb(0x8E7FE0),
                  rgb(0x5FA783), rgb(0x9AD3F7), rgb(0x4791D8), rgb(0x2CCB9A), rgb(0xC2804F),
                  rgb(0xE07DB4), rgb(0xDDDC7A)}};

}  // namespace

std::string_view class_name(BlockClass c) {
  if (c == BlockClass::host) return "Host";
  if (c == BlockClass::disk) return "Disk";
  return class_name(static_cast<SlotClass>(c));
}

const Palette& palette_of(Theme theme) {
  return theme == Theme::dark ? dark : light;
}

Theme application_theme() {
  return QGuiApplication::palette().color(QPalette::Base).lightness() < 128 ? Theme::dark
                                                                            : Theme::light;
}

QRgb mix(QRgb under, QRgb over, double share) {
  const auto channel = [share](int a, int b) {
    return static_cast<int>(std::lround(a + (b - a) * share));
  };
  return qRgb(channel(qRed(under), qRed(over)), channel(qGreen(under), qGreen(over)),
              channel(qBlue(under), qBlue(over)));
}

QRgb ramp_colour(const Ramp& ramp, double at) {
  if (!(at > 0)) return ramp.front();  // also what is not a number
  if (at >= 1) return ramp.back();
  const double place = at * static_cast<double>(ramp.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  return mix(ramp[below], ramp[below + 1], place - static_cast<double>(below));
}

QRgb reference_colour(std::uint32_t references) {
  if (references <= 1) return score_ramp.front();
  // 2; 3, 4; 5 … 8; beyond.
  return score_ramp[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(references - 1)),
                                          score_ramp.size() - 1)];
}

QRgb precision_colour(std::uint32_t bits) {
  if (bits <= 2) return score_ramp.front();
  return score_ramp[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(bits - 1)) - 1,
                                          score_ramp.size() - 1)];
}

}  // namespace vacancy::gui
