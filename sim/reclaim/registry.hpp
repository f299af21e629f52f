// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sim/reclaim/reclaimer.hpp"
#include "sim/registry/entry.hpp"

namespace vacancy {

/// A registered way to reclaim (spec policies §5).
struct ReclaimerEntry {
  EntryInfo info;
  /// The reclaimer moves nothing and relies on survivors that fill whole blocks.
  bool whole_blocks = false;
  std::unique_ptr<Reclaimer> (*make)(const ParameterValues&) = nullptr;
};

std::span<const ReclaimerEntry> reclaimers();
/// The entry of that name, or null.
const ReclaimerEntry* find_reclaimer(std::string_view name);

}  // namespace vacancy
