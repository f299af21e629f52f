// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "gui/paint/hatch.hpp"
#include "gui/paint/map_scene.hpp"

namespace vacancy::gui {

/// What a cell looks like. Two equal looks are the same pixels, so that only cells whose look has
/// changed are painted again.
struct CellLook {
  enum Kind : std::uint8_t { nothing, whole, columns };
  QRgb colour = 0;  // of the whole cell, or of its live slots
  std::uint16_t live = 0, fill = 0;
  Kind kind = nothing;
  BlockClass texture = BlockClass::live;  // of the whole cell
  bool shared = false, pinned = false;    // marks
  bool faded = false;                     // another sequence is selected
  std::uint32_t owner = no_sequence;      // where it is written
  std::uint64_t slots = 0;                // a hash of them, where they are drawn

  bool operator==(const CellLook&) const = default;
};

/// The colours and textures of a scene.
class MapInks {
 public:
  MapInks(const MapScene& scene, double scale);

  /// A class's colour; faded where another one is isolated.
  QRgb of(BlockClass c) const { return classes_[index_of(c)]; }
  const Hatch& cell(BlockClass c) const { return cells_[index_of(c)]; }
  const Hatch& slot(BlockClass c) const { return slots_[index_of(c)]; }

 private:
  std::array<QRgb, block_classes> classes_{};
  std::array<Hatch, block_classes> cells_, slots_;
};

/// The look of a block. `with_slots`: slots are drawn, so that its hash tells them.
CellLook look_of(const MapScene& scene, const MapInks& inks, std::uint32_t block, bool with_slots);

/// The colour of one live slot.
QRgb slot_colour(const MapScene& scene, const CellLook& look, const SlotView& slot);

}  // namespace vacancy::gui
