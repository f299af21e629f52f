// SPDX-License-Identifier: Apache-2.0
#include "gui/model/marks.hpp"

#include "gui/model/time_columns.hpp"

namespace vacancy::gui {

void Marks::append(const Mark& mark) {
  const std::uint64_t place = all_.size();
  all_.push_back(mark);
  by_kind_[static_cast<std::size_t>(mark.kind)].push_back(place);
}

std::uint64_t Marks::from_event(std::uint64_t event) const {
  return all_.partition_point(0, all_.size(), [&](const Mark& mark) { return mark.event < event; });
}

std::optional<Mark> Marks::next(MarkKind kind, std::uint64_t event) const {
  const Places& places = of(kind);
  const std::uint64_t size = places.size();
  const std::uint64_t i = places.partition_point(
      0, size, [&](std::uint64_t place) { return all_[place].event < event; });
  if (i == size) return std::nullopt;
  return all_[places[i]];
}

std::optional<Mark> Marks::previous(MarkKind kind, std::uint64_t event) const {
  const Places& places = of(kind);
  const std::uint64_t i = places.partition_point(
      0, places.size(), [&](std::uint64_t place) { return all_[place].event < event; });
  if (i == 0) return std::nullopt;
  return all_[places[i - 1]];
}

void Marks::columns(TimeRange range, std::size_t columns, std::vector<Counts>& out) const {
  out.assign(columns, Counts{});
  if (range.last_ns <= range.first_ns) return;
  for (std::size_t kind = 0; kind < mark_kinds; ++kind) {
    const Places& places = by_kind_[kind];
    const std::uint64_t size = places.size();
    const auto before = [&](std::int64_t time, std::uint64_t from) {
      return places.partition_point(
          from, size, [&](std::uint64_t place) { return all_[place].time_ns < time; });
    };
    std::uint64_t first = before(range.first_ns, 0);
    for (std::size_t i = 0; i < columns && first < size; ++i) {
      const std::uint64_t last = before(column_start(range, columns, i + 1), first);
      out[i][kind] = static_cast<std::uint32_t>(last - first);
      first = last;
    }
  }
}

}  // namespace vacancy::gui
