// SPDX-License-Identifier: Apache-2.0
// A RunSession's run as columns of a timeline.
#include <algorithm>
#include <utility>

#include "gui/model/time_columns.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {
namespace {

constexpr std::pair<MarkKind, Glyph> mark_glyphs[] = {
    {MarkKind::evict, Glyph::evict},     {MarkKind::reclaim, Glyph::reclaim},
    {MarkKind::admit, Glyph::admit},     {MarkKind::finish, Glyph::finish},
    {MarkKind::preempt, Glyph::preempt}, {MarkKind::out_of_memory, Glyph::preempt}};

std::uint8_t glyph_bit(MarkKind kind) {
  for (const auto& [marked, glyph] : mark_glyphs)
    if (marked == kind) return bit_of(glyph);
  return 0;
}

}  // namespace

AxisUnit RunSession::axis_unit() const {
  const Series& series = recording().series();
  const bool instant = recording().over() && series.size() > 0 &&
                       series.time_ns(0) == series.time_ns(series.size() - 1);
  return instant ? AxisUnit::events : AxisUnit::nanoseconds;
}

TimeSpan RunSession::span(AxisUnit unit) const {
  // What happens at the end is seen: a column is half-open.
  if (unit == AxisUnit::events) return {0, static_cast<std::int64_t>(recording().events()) + 1};
  return {0, recording().end_ns() + 1};
}

std::int64_t RunSession::place(AxisUnit unit) const {
  return unit == AxisUnit::events ? static_cast<std::int64_t>(moment()) : time_ns();
}

std::vector<TimelineColumn> RunSession::columns(TimeSpan span, int count, AxisUnit unit) const {
  const Recording& r = recording();
  const auto n = static_cast<std::size_t>(std::max(1, count));
  if (unit == AxisUnit::events) return columns_by_event(span, n);
  std::vector<TimelineColumn> result(n);
  const TimeRange range_ns{span.from, span.to};
  std::vector<SeriesColumn> values;
  for (std::size_t c = 0; c < 7; ++c) {
    r.series().query(static_cast<SeriesId>(c), range_ns, n, values);
    for (std::size_t i = 0; i < n; ++i)
      result[i].slots[c] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, values[i].last));
  }
  r.series().query(SeriesId::evicted_set_tokens, range_ns, n, values);
  for (std::size_t i = 0; i < n; ++i)
    result[i].promised =
        static_cast<std::uint64_t>(values[i].last) / std::max(1U, r.shape().sets_per_table());
  r.series().query(SeriesId::freed_blocks, range_ns, n, values);
  for (std::size_t i = 0; i < n; ++i)
    result[i].returned = static_cast<std::uint64_t>(std::max<std::int64_t>(0, values[i].last)) *
                         r.shape().block_size;
  std::vector<Marks::Counts> marks;
  r.marks().columns(range_ns, n, marks);
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [kind, glyph] : mark_glyphs)
      if (marks[i][static_cast<std::size_t>(kind)] > 0) result[i].glyphs |= bit_of(glyph);
    const std::int64_t start =
        span.from + static_cast<std::int64_t>(static_cast<double>(span.length()) *
                                              static_cast<double>(i) / static_cast<double>(n));
    result[i].simulated = start <= r.end_ns();
  }
  return result;
}

std::optional<std::uint64_t> RunSession::row_now() const {
  const Series& series = recording().series();
  std::uint64_t low = 0, high = series.size();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (series.event(middle) <= moment())
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? std::nullopt : std::optional(low - 1);
}

SlotClasses RunSession::slots_now() const {
  if (has_map()) return replica().figures().slots;
  SlotClasses slots;
  const auto row = row_now();
  if (!row) {
    slots[SlotClass::free] = block_counts().all * recording().shape().block_size;
    return slots;
  }
  for (std::size_t c = 0; c < slot_class_count; ++c)
    slots.slots[c] = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, recording().series().value(static_cast<SeriesId>(c), *row)));
  return slots;
}

RunSession::BlockCounts RunSession::block_counts() const {
  const ReplicaFigures& f = replica().figures();
  if (has_map()) return {f.blocks, f.held_blocks};
  const auto row = row_now();
  const std::int64_t held = row ? recording().series().value(SeriesId::held_blocks, *row) : 0;
  return {recording().shape().blocks.value_or(0), static_cast<std::uint64_t>(held)};
}

TimelineColumn RunSession::column_now() const {
  const ReplicaFigures& f = replica().figures();
  TimelineColumn c;
  const SlotClasses slots = slots_now();
  std::copy(slots.slots.begin(), slots.slots.end(), c.slots.begin());
  c.promised = evicted_tokens();
  c.returned = static_cast<std::uint64_t>(std::max<std::int64_t>(0, f.blocks_freed)) *
               recording().shape().block_size;
  c.simulated = true;
  return c;
}

std::vector<TimelineColumn> RunSession::columns_by_event(TimeSpan span, std::size_t count) const {
  const Series& series = recording().series();
  const Marks& marks = recording().marks();
  const ReplicaShape& shape = recording().shape();
  std::vector<TimelineColumn> result(count);
  std::uint64_t rows = 0;  // of those up to the column
  // A mark's event shows in the moment after it.
  std::uint64_t mark =
      marks.from_event(static_cast<std::uint64_t>(std::max<std::int64_t>(1, span.from)) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t first = column_start({span.from, span.to}, count, i);
    const std::int64_t next = column_start({span.from, span.to}, count, i + 1);
    const auto moment = static_cast<std::uint64_t>(std::max(first, next - 1));
    TimelineColumn& column = result[i];
    column.simulated = true;
    while (rows < series.size() && series.event(rows) <= moment)
      ++rows;
    for (; mark < marks.size() && marks[mark].event < moment; ++mark)
      column.glyphs |= glyph_bit(marks[mark].kind);
    if (rows == 0) {
      column.slots[index_of(BlockClass::free)] = 1;  // nothing is held before the first row
      continue;
    }
    const auto value = [&](SeriesId id) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, series.value(id, rows - 1)));
    };
    for (std::size_t c = 0; c < column.slots.size(); ++c)
      column.slots[c] = value(static_cast<SeriesId>(c));
    column.promised = value(SeriesId::evicted_set_tokens) / std::max(1U, shape.sets_per_table());
    column.returned = value(SeriesId::freed_blocks) * shape.block_size;
  }
  return result;
}

}  // namespace vacancy::gui
