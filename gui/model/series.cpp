// SPDX-License-Identifier: Apache-2.0
#include "gui/model/series.hpp"

#include <algorithm>
#include <limits>

#include "gui/model/time_columns.hpp"

namespace vacancy::gui {

void Series::append(std::int64_t time_ns, std::uint64_t event, const SeriesRow& row) {
  const std::uint64_t n = times_.size() + 1;  // rows with this one
  for (std::size_t id = 0; id < series_count; ++id) {
    Pyramid& pyramid = values_[id];
    pyramid.rows.push_back(row[id]);
    // A node is written once all below it are there, so that it never changes.
    std::uint64_t width = fan;
    for (std::size_t level = 0; level < pyramid.levels.size() && n % width == 0;
         ++level, width *= fan) {
      Extremes sum{std::numeric_limits<std::int64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()};
      for (std::uint64_t child = n / (width / fan) - fan; child < n / (width / fan); ++child) {
        const Extremes below = level == 0 ? Extremes{pyramid.rows[child], pyramid.rows[child]}
                                          : pyramid.levels[level - 1][child];
        sum = {std::min(sum.min, below.min), std::max(sum.max, below.max)};
      }
      pyramid.levels[level].push_back(sum);
    }
  }
  events_.push_back(event);
  times_.push_back(time_ns);
}

Series::Extremes Series::extremes(const Pyramid& pyramid, std::uint64_t first, std::uint64_t last) {
  Extremes sum{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  while (first < last) {
    // The widest node that begins here and ends within the range.
    std::uint64_t width = 1;
    std::size_t level = 0;  // of nodes `width` wide; 0: a row
    while (level < pyramid.levels.size() && first % (width * fan) == 0 &&
           first + width * fan <= last) {
      width *= fan;
      ++level;
    }
    const Extremes node = level == 0 ? Extremes{pyramid.rows[first], pyramid.rows[first]}
                                     : pyramid.levels[level - 1][first / width];
    sum = {std::min(sum.min, node.min), std::max(sum.max, node.max)};
    first += width;
  }
  return sum;
}

std::uint64_t Series::at_time(std::int64_t time_ns) const {
  const std::uint64_t size = times_.size();
  const std::uint64_t later =
      times_.partition_point(0, size, [&](std::int64_t time) { return time <= time_ns; });
  return later == 0 ? size : later - 1;
}

void Series::query(SeriesId id, TimeRange range, std::size_t columns,
                   std::vector<SeriesColumn>& out) const {
  out.assign(columns, {});
  if (range.last_ns <= range.first_ns) return;
  const Pyramid& pyramid = values_[index(id)];
  const std::uint64_t size = times_.size();
  const auto before = [&](std::int64_t time, std::uint64_t from) {
    return times_.partition_point(from, size, [&](std::int64_t t) { return t < time; });
  };
  std::uint64_t first = before(range.first_ns, 0);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::int64_t end = column_start(range, columns, i + 1);
    const std::uint64_t last = before(end, first);
    SeriesColumn& column = out[i];
    const std::int64_t carried = first == 0 ? 0 : pyramid.rows[first - 1];
    // The row before holds in the column, unless one stands at its very start.
    const bool replaced = first < last && times_[first] == column_start(range, columns, i);
    if (first == last) {
      column = {carried, carried, carried};
    } else {
      const Extremes inside = extremes(pyramid, first, last);
      column = {replaced ? inside.min : std::min(inside.min, carried),
                replaced ? inside.max : std::max(inside.max, carried), pyramid.rows[last - 1]};
    }
    first = last;
  }
}

void Series::added(SeriesId id, TimeRange range, std::size_t columns,
                   std::vector<std::int64_t>& out) const {
  std::vector<SeriesColumn> sums;
  query(id, range, columns, sums);
  const std::uint64_t row = at_time(range.first_ns - 1);
  std::int64_t before = row < size() ? value(id, row) : 0;
  out.resize(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    out[i] = sums[i].last - before;
    before = sums[i].last;
  }
}

std::uint64_t Series::bytes() const {
  std::uint64_t bytes = size() * (sizeof(std::int64_t) + sizeof(std::uint64_t));
  for (const Pyramid& pyramid : values_) {
    bytes += pyramid.rows.size() * sizeof(std::int64_t);
    for (const auto& level : pyramid.levels)
      bytes += level.size() * sizeof(Extremes);
  }
  return bytes;
}

double reclaim_efficiency(std::int64_t freed_blocks, std::uint32_t block_size,
                          std::int64_t evicted_set_tokens, std::uint32_t sets_per_table) {
  if (evicted_set_tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(freed_blocks) * block_size * sets_per_table /
         static_cast<double>(evicted_set_tokens);
}

}  // namespace vacancy::gui
