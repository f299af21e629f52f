// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sim/reclaim/reclaimer.hpp"
#include "sim/registry/entry.hpp"

namespace vacancy {

/// Where survivors go.
enum class Movement {
  none,
  whole_blocks,  // nowhere: the reclaimer relies on survivors that fill whole blocks
  in_place,      // to slots of their own table's blocks
  into_fresh_blocks
};

/// A registered way to reclaim (spec policies §5).
struct ReclaimerEntry {
  EntryInfo info;
  Movement movement = Movement::none;
  /// The second argument is for movement in place.
  std::unique_ptr<Reclaimer> (*make)(const ParameterValues&, SharedBlocks) = nullptr;

  bool whole_blocks() const { return movement == Movement::whole_blocks; }
};

std::span<const ReclaimerEntry> reclaimers();
/// The entry of that name, or null.
const ReclaimerEntry* find_reclaimer(std::string_view name);

/// The entry's reclaimer under rules that hold for all.
std::unique_ptr<Reclaimer> make_reclaimer(const ReclaimerEntry& entry,
                                          const ParameterValues& values,
                                          const ReclaimRules& rules = {});

}  // namespace vacancy
