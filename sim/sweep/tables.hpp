// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results.hpp"

namespace vacancy {

/// Cells for people; the first `heads` columns say what a row is.
struct CellTable {
  std::string title;
  std::size_t heads = 1;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A point a row: coordinates, shown figures, state. Points of the Pareto front have a star.
CellTable point_table(const Sweep& sweep, const SweepResults& results);

/// One table for each combination of the axes that the request does not name. A cell that is not
/// done shows "–"; of a run that ended early its figure, in brackets.
std::vector<CellTable> pivot_tables(const Sweep& sweep, const SweepResults& results,
                                    const PivotTable& request);

/// What refused points say, each reason once, with the number of points.
std::vector<std::pair<std::string, std::uint64_t>> reasons(const SweepResults& results,
                                                           RunState state);

/// "policy h2o, cache.block_size 16": where a point stands.
std::string place_text(const Sweep& sweep, const std::vector<Coordinate>& at);

}  // namespace vacancy
