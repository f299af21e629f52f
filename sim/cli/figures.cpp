// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/figures.hpp"

#include <cmath>

#include "sim/units/format.hpp"

namespace vacancy {

std::string count_text(const Ratio& ratio) {
  const double value = ratio.value().value_or(0);
  return format_decimal(value, value == std::floor(value) ? 0 : 1);
}

std::string count_text(std::int64_t count) {
  return format_decimal(static_cast<double>(count), 0);
}

std::string expected_text(const std::optional<Expected>& expected, double scale, int decimals,
                          const std::string& unit) {
  if (!expected) return "";
  const double value = expected->value * scale;
  const bool whole = !expected->deviation && scale == 1 && value == std::floor(value);
  std::string text = format_decimal(value, whole ? 0 : decimals);
  if (expected->deviation) text += " ± " + format_decimal(*expected->deviation * scale, decimals);
  return text + unit;
}

void add_reclaim_rows(FigureTable& table, const Summary::Reclaim& r, const Expectations& expected) {
  if (r.rounds == 0 && r.skipped_rounds == 0) return;
  table.add({"rounds", format_count(r.rounds)});
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count > 0) table.add({name, format_count(count)});
  };
  add("skipped rounds", r.skipped_rounds);
  add("of these, refused: shared blocks", r.refused_rounds);
  add("of these, postponed: no free blocks", r.postponed_rounds);
  if (r.rounds == 0) return;
  if (r.moving_rounds < r.rounds) add("rounds that moved survivors", r.moving_rounds);
  table.add({"tokens evicted", count_text(r.evicted_tokens())});
  table.add({"tokens vacated (no set holds them)", format_count(r.vacated_tokens)});
  table.add({"blocks freed by eviction", count_text(r.blocks_freed_by_eviction),
             expected_text(expected.blocks_freed, 1, 1)});
  add("blocks taken by reclaim", r.blocks_taken);
  if (const auto quotient = r.blocks_freed_per_evicted_token()) {
    const double per_token = 1 / r.evicted_tokens().value().value();
    table.add({"blocks freed per evicted token", format_decimal(*quotient, 5),
               expected_text(expected.blocks_freed, per_token, 5)});
    table.add({"reclaim efficiency", format_percent(r.reclaim_efficiency().value()),
               expected_text(expected.blocks_freed, per_token * r.block_size * 100, 1, " %")});
  }
  if (r.moved_set_tokens > 0) table.add({"tokens moved", count_text(r.moved_tokens())});
  if (r.bytes_moved().value() > 0)
    table.add({"bytes moved (read + written)", format_bytes(r.bytes_moved())});
}

void add_page_rows(FigureTable& table, const std::optional<Summary::Pages>& pages) {
  if (!pages) return;
  const auto add = [&](const std::string& when, std::uint64_t mapped, Bytes bytes,
                       std::uint64_t blocks) {
    table.add({"pages mapped, " + when, format_count(mapped) + " (" + format_bytes(bytes) + ")"});
    const std::uint64_t n = pages->blocks_per_page;
    table.add({"pages that the blocks would fill, " + when, format_count((blocks + n - 1) / n)});
  };
  add("peak", pages->mapped.peak, pages->mapped_bytes_peak(), pages->useful_blocks.peak);
  add("end", pages->mapped.end, pages->mapped_bytes_end(), pages->useful_blocks.end);
}

}  // namespace vacancy
