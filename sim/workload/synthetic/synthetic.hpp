// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sim/registry/entry.hpp"
#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// A workload that is made instead of read: requests with arrivals, lengths and keys of their full
/// prompt blocks, behind the interface of trace readers. A function of its parameters and the seed;
/// a longer trace begins with the shorter one.
struct SyntheticEntry {
  EntryInfo info;
  /// Options that contradict each other throw UserError.
  std::unique_ptr<TraceReader> (*make)(const ParameterValues&, std::uint64_t seed) = nullptr;
};

std::span<const SyntheticEntry> synthetic_workloads();
/// The entry of that name, or null.
const SyntheticEntry* find_synthetic_workload(std::string_view name);

}  // namespace vacancy
