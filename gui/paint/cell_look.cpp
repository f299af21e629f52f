// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/cell_look.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vacancy::gui {
namespace {

constexpr double faded_share = 0.25;

/// Holes and tail keep their textures and lose their colours where colour says something else.
bool neutral(const MapScene& scene, BlockClass c) {
  return scene.colouring != Colouring::state &&
         (c == BlockClass::hole || c == BlockClass::tail || c == BlockClass::cached_free);
}

std::uint64_t hash_of(std::span<const SlotView> slots) {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001b3; };
  for (const SlotView& slot : slots) {
    add(static_cast<std::uint64_t>(slot.state));
    add(slot.position);
    add(std::bit_cast<std::uint32_t>(slot.score));
  }
  return h;
}

/// On a scale of seven decades from a microsecond to ten seconds.
double age_share(std::int64_t age_ns) {
  return (std::log10(std::max<double>(1000, static_cast<double>(age_ns))) - 3) / 7;
}

QRgb score_colour(const Palette& palette, float score) {
  return std::isnan(score) ? palette.field_border
                           : ramp_colour(score_ramp, static_cast<double>(score));
}

template <class T>
T value_at(std::span<const T> values, std::uint32_t block, T otherwise) {
  return block < values.size() ? values[block] : otherwise;
}

}  // namespace

MapInks::MapInks(const MapScene& scene, double scale) {
  const Palette& p = *scene.palette;
  for (const BlockClass c : all_block_classes) {
    QRgb ground = p.of(c), ink = p.hatch(c);
    if (neutral(scene, c)) {
      ground = p.of(BlockClass::free);
      ink = p.field_border;
    }
    if (scene.isolated && *scene.isolated != c) {
      ground = mix(p.panel, ground, faded_share);
      ink = mix(p.panel, ink, faded_share);
    }
    classes_[index_of(c)] = ground;
    cells_[index_of(c)] = Hatch(c, ground, ink, scale);
    slots_[index_of(c)] = Hatch(c, ground, ink, scale, true);
  }
}

CellLook look_of(const MapScene& scene, const MapInks& inks, std::uint32_t block, bool with_slots) {
  const PoolView& pool = scene.pool;
  const std::uint8_t flags = pool.flags[block];
  const std::uint32_t references = pool.references[block];
  const Palette& p = *scene.palette;
  CellLook look;
  if (block >= scene.blocks) {
    look.kind = CellLook::nothing;
    return look;
  }
  const bool held = (flags & BlockFlag::held) != 0;
  if (scene.colouring == Colouring::age && pool.changed_ns[block] >= 0) {
    look.kind = CellLook::whole;
    look.colour = ramp_colour(age_ramp, age_share(pool.time_ns - pool.changed_ns[block]));
  } else if (!held) {
    look.kind = CellLook::whole;
    look.texture = (flags & BlockFlag::host_tier) != 0 && (flags & BlockFlag::cached) != 0
                       ? BlockClass::host
                   : (flags & BlockFlag::cached) != 0 ? BlockClass::cached_free
                                                      : BlockClass::free;
    look.colour = inks.of(look.texture);
    return look;
  } else {
    look.kind = CellLook::columns;
    switch (scene.colouring) {
      case Colouring::state:
      case Colouring::age:
        look.colour = inks.of(live_class_of(flags, references));
        break;
      case Colouring::sequence:
        look.colour =
            pool.owner[block] == no_sequence ? p.field_border : p.sequence(pool.owner[block]);
        break;
      case Colouring::tenant:
        look.colour = p.sequence(value_at(scene.tenants, block, 0U));
        break;
      case Colouring::references:
        look.colour = reference_colour(references);
        break;
      case Colouring::precision:
        look.colour = precision_colour(value_at(scene.bits, block, 16U));
        break;
      case Colouring::score:
        look.colour = score_colour(p, value_at(scene.scores, block, unweighed));
        break;
    }
    const bool from_inks = scene.colouring == Colouring::state || scene.colouring == Colouring::age;
    if (!from_inks && scene.isolated && live_class_of(flags, references) != *scene.isolated)
      look.colour = mix(p.panel, look.colour, faded_share);
  }
  if (held) {
    look.live = pool.live[block];
    look.fill = pool.fill[block];
    look.shared = references > 1;
    look.pinned = (flags & BlockFlag::pinned) != 0;
    if (with_slots && scene.slots) {
      look.owner = pool.owner[block];
      look.faded = scene.sequence != no_sequence && look.owner != scene.sequence;
      look.slots = hash_of(scene.slots(block));
    }
  } else if (with_slots) {
    look.faded = scene.sequence != no_sequence;
  }
  return look;
}

QRgb slot_colour(const MapScene& scene, const CellLook& look, const SlotView& slot) {
  return scene.colouring == Colouring::score ? score_colour(*scene.palette, slot.score)
                                             : look.colour;
}

}  // namespace vacancy::gui
