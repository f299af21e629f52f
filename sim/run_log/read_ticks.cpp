// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "sim/run_log/files.hpp"
#include "sim/workload/trace/csv_table.hpp"
#include "sim/workload/trace/decimal.hpp"

namespace vacancy {
namespace {

/// A count that the log writes with a point, "3392.0".
std::uint64_t whole_number(const CsvTable& table, std::size_t column) {
  constexpr int thousandths = 3;
  const ScaledDecimal scaled = scaled_decimal(table.text(column), thousandths);
  if (scaled.fault != DecimalFault::none || scaled.value % 1000 != 0)
    table.fail(column, "expected a whole number of tokens, not negative, got " +
                           quoted_excerpt(table.text(column)) + "; correct the line.");
  return static_cast<std::uint64_t>(scaled.value / 1000);
}

std::uint32_t hundredths_of_percent(const CsvTable& table, std::size_t column) {
  constexpr int hundredths = 2;
  constexpr std::int64_t full = 10'000;
  const ScaledDecimal scaled = scaled_decimal(table.text(column), hundredths);
  if (scaled.fault != DecimalFault::none || scaled.value > full)
    table.fail(column, "expected a percentage from 0 to 100, got " +
                           quoted_excerpt(table.text(column)) + "; correct the line.");
  return static_cast<std::uint32_t>(scaled.value);
}

}  // namespace

std::vector<MeasuredTick> read_measured_ticks(const std::filesystem::path& file, SimTime tick) {
  LineReader lines(file);
  CsvTable table(lines);
  constexpr std::uint64_t max_requests = std::numeric_limits<std::uint32_t>::max();
  const std::size_t time = table.column("t"), prompt = table.column("prompt_throughput"),
                    output = table.column("gen_throughput"), running = table.column("running"),
                    waiting = table.column("waiting"), kv = table.column("kv_cache_pct");
  std::vector<MeasuredTick> ticks;
  while (table.next()) {
    MeasuredTick row;
    row.time = table.time(time, seconds_to_nanoseconds);
    row.prompt_tokens = whole_number(table, prompt);
    row.output_tokens = whole_number(table, output);
    row.running = static_cast<std::uint32_t>(table.integer(running, max_requests));
    row.waiting = static_cast<std::uint32_t>(table.integer(waiting, max_requests));
    row.kv_hundredths = hundredths_of_percent(table, kv);
    if (row.time != tick * static_cast<std::int64_t>(ticks.size() + 1))
      table.fail(time, "is not the next tick; no tick may be missing or stand twice.");
    ticks.push_back(row);
  }
  return ticks;
}

}  // namespace vacancy
