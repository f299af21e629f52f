// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/cli/expectation.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/metrics/summary.hpp"

namespace vacancy {

// What the reports of runs with and without an engine have in common.

/// A quotient of whole numbers, without decimals where it is whole.
std::string count_text(const Ratio& ratio);
std::string count_text(std::int64_t count);
/// Nothing where no formula applies.
std::string expected_text(const std::optional<Expected>& expected, double scale, int decimals,
                          const std::string& unit = "");

/// What rounds evicted and what came back; no rows where there was none.
void add_reclaim_rows(FigureTable& table, const Summary::Reclaim& r, const Expectations& expected);
/// Device pages that blocks keep mapped; no rows where they are not counted.
void add_page_rows(FigureTable& table, const std::optional<Summary::Pages>& pages);

}  // namespace vacancy
