// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <array>
#include <cstdint>
#include <string_view>

#include "gui/model/slot_classes.hpp"

namespace vacancy::gui {

enum class Theme : std::uint8_t { light, dark };

/// What a slot or a whole block counts as: a SlotClass, or in a lane below the pool.
enum class BlockClass : std::uint8_t {
  live,
  shared,
  pinned,
  hole,
  tail,
  cached_free,
  free,
  host,
  disk
};
static_assert(static_cast<int>(BlockClass::live) == static_cast<int>(SlotClass::live) &&
              static_cast<int>(BlockClass::free) == static_cast<int>(SlotClass::free) &&
              static_cast<std::size_t>(BlockClass::host) == slot_class_count);
inline constexpr std::size_t block_classes = 9;
inline constexpr std::array<BlockClass, block_classes> all_block_classes = {
    BlockClass::live, BlockClass::shared, BlockClass::pinned,
    BlockClass::hole, BlockClass::tail,   BlockClass::cached_free,
    BlockClass::free, BlockClass::host,   BlockClass::disk};

constexpr std::size_t index_of(BlockClass c) {
  return static_cast<std::size_t>(c);
}
/// As legends and tooltips call it: "Live, shared".
std::string_view class_name(BlockClass c);

/// Every colour that is painted. Colour belongs to memory: the frame is grey with one accent.
struct Palette {
  QRgb window, panel, header, rule, field_border;
  QRgb ink, ink_2, ink_3, halo;
  QRgb accent, on_accent, accent_tint;
  QRgb error, error_tint, warning, warning_tint, done;
  QRgb run_a, run_b, grid_line;

  std::array<QRgb, block_classes> classes;
  std::array<QRgb, block_classes> hatches;  // the ink on each; its own colour where it is solid
  std::array<QRgb, block_classes> labels;   // text on a slot of the class

  std::array<QRgb, 12> sequences;  // by number mod 12; tenants likewise

  QRgb of(BlockClass c) const { return classes[index_of(c)]; }
  QRgb hatch(BlockClass c) const { return hatches[index_of(c)]; }
  QRgb label(BlockClass c) const { return labels[index_of(c)]; }
  QRgb sequence(std::uint32_t number) const { return sequences[number % sequences.size()]; }
};

const Palette& palette_of(Theme theme);

/// What the application's own palette is: dark where text fields are. Qt 6.4 has no other word
/// for it.
Theme application_theme();

/// Five stops, linear between them in sRGB.
using Ramp = std::array<QRgb, 5>;
inline constexpr Ramp age_ramp = {0xFF12305C, 0xFF3A5F96, 0xFF7F96AE, 0xFFC3BE95, 0xFFF3E8A6};
inline constexpr Ramp score_ramp = {0xFFE9EEF3, 0xFFB9D0E6, 0xFF7FAAD3, 0xFF4585BF, 0xFF14508A};
inline constexpr Ramp difference_ramp = {0xFF4548B0, 0xFFA2A4D8, 0xFFF1F3F5, 0xFFCBB385,
                                         0xFF8A5A00};

/// `at` in 0 … 1; beyond, its ends.
QRgb ramp_colour(const Ramp& ramp, double at);
/// `share` of `over` on `under`, in sRGB.
QRgb mix(QRgb under, QRgb over, double share);

/// The step of the score ramp for 1, 2, 3–4, 5–8, 9 and more references.
QRgb reference_colour(std::uint32_t references);
/// The step of the score ramp for 2, 4, 8, 16 bits and more a stored value.
QRgb precision_colour(std::uint32_t bits);

}  // namespace vacancy::gui
