// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/keep_sets/keep_set_axes.hpp"
#include "sim/metrics/summary.hpp"

namespace vacancy {

/// What keep sets gave back under one kind of table, one block size and one way to reclaim.
struct ReplayRow {
  TableKind table;
  std::uint32_t block_size;
  std::string_view reclaimer;
  std::string obstacle;  // why that way does not apply; then there are no figures
  Summary::Reclaim reclaim;
  std::uint64_t peak_blocks = 0, end_blocks = 0;
};

/// One file: one sequence.
struct ReplayedFile {
  std::string name;
  std::uint64_t steps = 0;
  std::uint32_t tokens = 0;
  KeepSetAxes axes;
  std::vector<ReplayRow> rows;  // by table, then block size, then way to reclaim
};

struct Replayed {
  std::string model;  // empty: bytes are not known
  std::vector<ReplayedFile> files;
};

/// For people: the figures of each file, and of all of them together where there are several.
void print_replayed(std::ostream& out, const Replayed& replayed, std::size_t columns);
/// The same as JSON (docs/replay.md).
std::string replayed_json(const Replayed& replayed);

}  // namespace vacancy
