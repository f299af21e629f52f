// SPDX-License-Identifier: Apache-2.0
// The figures of two runs side by side (two_runs.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gui/model/number_format.hpp"
#include "gui/model/two_runs.hpp"

namespace vacancy::gui {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double size_of(double a, double b) {
  const double most = std::max(std::abs(a), std::abs(b));
  return most > 0 ? (b - a) / most : 0;
}

FigureRow count_row(std::string name, std::int64_t a, std::int64_t b) {
  return {std::move(name), number(a), number(b), difference(b - a),
          size_of(static_cast<double>(a), static_cast<double>(b))};
}

FigureRow count_row(std::string name, std::uint64_t a, std::uint64_t b) {
  return count_row(std::move(name), static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

std::string or_dash(double value, std::string text) {
  return std::isfinite(value) ? std::move(text) : "–";
}

FigureRow decimal_row(std::string name, double a, double b, int decimals) {
  const bool both = std::isfinite(a) && std::isfinite(b);
  return {std::move(name), or_dash(a, decimal(a, decimals)), or_dash(b, decimal(b, decimals)),
          both ? difference(b - a, decimals) : "–", both ? size_of(a, b) : 0};
}

FigureRow ratio_row(std::string name, double a, double b) {
  const bool both = std::isfinite(a) && std::isfinite(b);
  return {std::move(name), percent(a), percent(b), both ? difference_pp(b - a) : "–",
          both ? size_of(a, b) : 0};
}

double quotient(double part, double whole) {
  return whole != 0 ? part / whole : nan;
}

double gib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024 * 1024);
}

double evicted(const RunFigures& f) {
  return static_cast<double>(f.evicted_set_tokens) / f.sets_per_table;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return quotient(static_cast<double>(part), static_cast<double>(whole));
}

double value(const std::optional<double>& figure) {
  return figure.value_or(nan);
}

}  // namespace

RunFigures figures_at(const Cursor& cursor) {
  const ReplicaFigures& now = cursor.replica().figures();
  const Recording& run = cursor.recording();
  const Series& series = run.series();
  RunFigures f;
  f.evicted_set_tokens = now.evicted_set_tokens;
  f.sets_per_table = run.shape().sets_per_table();
  f.block_size = run.shape().block_size;
  f.blocks_freed = now.blocks_freed;
  f.held_slots = now.slots.held();
  f.hole_slots = now.slots[SlotClass::hole];
  f.tail_slots = now.slots[SlotClass::tail];
  f.held_blocks = now.held_blocks;
  const std::uint64_t row = series.at_time(cursor.time_ns());
  if (!run.shape().has_map && row < series.size()) {
    const auto at = [&](SeriesId id) { return static_cast<std::uint64_t>(series.value(id, row)); };
    f.hole_slots = at(SeriesId::hole);
    f.tail_slots = at(SeriesId::tail);
    f.held_slots = at(SeriesId::live) + f.hole_slots + f.tail_slots;
    f.held_blocks = at(SeriesId::held_blocks);
  }
  std::vector<SeriesColumn> whole;
  series.query(SeriesId::held_blocks, {0, cursor.time_ns() + 1}, 1, whole);
  f.peak_held_blocks =
      std::max(f.held_blocks, static_cast<std::uint64_t>(std::max<std::int64_t>(whole[0].max, 0)));
  if (run.shape().has_map && run.shape().tells_cached)
    f.cached_free_blocks = now.cached_free_blocks;
  f.moved_bytes = now.moved_bytes;
  f.running = run.scenario().serving ? now.running : now.sequences;
  f.waiting = now.waiting;
  f.preemptions = now.preempted;
  f.hit_tokens = now.hit_tokens;
  return f;
}

std::vector<FigureRow> figure_table(const RunFigures& a, const RunFigures& b) {
  std::vector<FigureRow> rows;
  rows.push_back(decimal_row("Tokens evicted", evicted(a), evicted(b), 0));
  rows.push_back(count_row("Blocks freed", a.blocks_freed, b.blocks_freed));
  const auto per_token = [](const RunFigures& f) {
    return quotient(static_cast<double>(f.blocks_freed), evicted(f));
  };
  rows.push_back(decimal_row("… per 1,000 evicted", per_token(a) * 1'000, per_token(b) * 1'000, 1));
  rows.push_back(
      ratio_row("Reclaim efficiency", per_token(a) * a.block_size, per_token(b) * b.block_size));
  rows.push_back(ratio_row("Hole ratio", share(a.hole_slots, a.held_slots),
                           share(b.hole_slots, b.held_slots)));
  rows.push_back(ratio_row("Tail ratio", share(a.tail_slots, a.held_slots),
                           share(b.tail_slots, b.held_slots)));
  rows.push_back(count_row("Held blocks", a.held_blocks, b.held_blocks));
  rows.push_back(count_row("Peak held blocks", a.peak_held_blocks, b.peak_held_blocks));
  if (a.cached_free_blocks && b.cached_free_blocks)
    rows.push_back(count_row("Cached-free blocks", *a.cached_free_blocks, *b.cached_free_blocks));
  rows.push_back(decimal_row("Moved, GiB", gib(a.moved_bytes), gib(b.moved_bytes), 1));
  rows.push_back(count_row("Running", a.running, b.running));
  rows.push_back(count_row("Waiting", a.waiting, b.waiting));
  rows.push_back(count_row("Preemptions", a.preemptions, b.preemptions));
  rows.push_back(count_row("Prefix hits, tokens", a.hit_tokens, b.hit_tokens));
  return rows;
}

std::vector<FigureRow> summary_table(const Summary& a, const Summary& b) {
  std::vector<FigureRow> rows;
  rows.push_back(decimal_row("Virtual time, s",
                             static_cast<double>(a.run.virtual_time.value()) / 1e9,
                             static_cast<double>(b.run.virtual_time.value()) / 1e9, 3));
  rows.push_back(count_row("Rounds", a.reclaim.rounds, b.reclaim.rounds));
  rows.push_back(decimal_row("Tokens evicted", value(a.reclaim.evicted_tokens().value()),
                             value(b.reclaim.evicted_tokens().value()), 0));
  rows.push_back(count_row("Blocks freed", a.reclaim.blocks_freed_by_eviction,
                           b.reclaim.blocks_freed_by_eviction));
  rows.push_back(decimal_row("… per 1,000 evicted",
                             value(a.reclaim.blocks_freed_per_evicted_token()) * 1'000,
                             value(b.reclaim.blocks_freed_per_evicted_token()) * 1'000, 1));
  rows.push_back(ratio_row("Reclaim efficiency", value(a.reclaim.reclaim_efficiency()),
                           value(b.reclaim.reclaim_efficiency())));
  rows.push_back(ratio_row("Hole ratio, mean", value(a.memory.hole_ratio.mean.value()),
                           value(b.memory.hole_ratio.mean.value())));
  rows.push_back(ratio_row("Tail ratio, mean", value(a.memory.tail_ratio.mean.value()),
                           value(b.memory.tail_ratio.mean.value())));
  rows.push_back(count_row("Peak held blocks", a.memory.kv_peak_blocks, b.memory.kv_peak_blocks));
  rows.push_back(decimal_row("Moved, GiB", gib(a.reclaim.bytes_moved().value()),
                             gib(b.reclaim.bytes_moved().value()), 1));
  rows.push_back(ratio_row("Attention retained, mean", value(a.quality.mass_mean()),
                           value(b.quality.mass_mean())));
  rows.push_back(count_row("Requests completed", a.serving.completed, b.serving.completed));
  rows.push_back(count_row("Preemptions", a.serving.preemptions, b.serving.preemptions));
  rows.push_back(
      count_row("Recomputed tokens", a.serving.recomputed_tokens, b.serving.recomputed_tokens));
  rows.push_back(count_row("Prefix hits, tokens", a.serving.hit_tokens(), b.serving.hit_tokens()));
  return rows;
}

}  // namespace vacancy::gui
