// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gui/model/append_only.hpp"
#include "gui/model/marks.hpp"
#include "gui/model/slot_classes.hpp"

namespace vacancy::gui {

/// What is drawn over time. The first seven are slots by class in the order of SlotClass, and sum
/// to the pool; where an engine has no map, live, tail and free are all that is known.
enum class SeriesId : std::uint8_t {
  live,
  shared,
  pinned,
  hole,
  tail,
  cached_free,
  free,
  held_blocks,
  running,  // requests; without an engine, sequences
  waiting,
  // Since the start.
  evicted_set_tokens,  // / sets_per_table: what the method promised, in tokens summed over tables
  freed_blocks,        // × block size: what came back, in slots
  known_tokens,        // of admissions
  hit_tokens,          // of these, found
  preemptions,
  produced_tokens,  // without an engine, appended
  moved_bytes       // by reclaim
};
inline constexpr std::size_t series_count = 17;
using SeriesRow = std::array<std::int64_t, series_count>;

/// A number over time as a column of pixels shows it. The state before the column counts, since it
/// holds until the first change.
struct SeriesColumn {
  std::int64_t min = 0, max = 0, last = 0;
};

/// Rows of numbers at moments of a run, in order of time: at the end of each step and after each
/// round, as timeline.csv has them. Between two rows the first one holds. Above each series stands
/// a pyramid of extremes of `fan` rows, `fan`² rows, …: whoever asks for so many columns looks at
/// O(columns × log rows) numbers, and all pyramids together need two thirds of the rows' memory.
/// One thread appends, others read.
class Series {
 public:
  static constexpr std::uint64_t fan = 4;

  void append(std::int64_t time_ns, std::uint64_t event, const SeriesRow& row);

  std::uint64_t size() const { return times_.size(); }
  std::int64_t time_ns(std::uint64_t i) const { return times_[i]; }
  /// Events that had happened.
  std::uint64_t event(std::uint64_t i) const { return events_[i]; }
  std::int64_t value(SeriesId id, std::uint64_t i) const { return values_[index(id)].rows[i]; }
  /// The row that holds at a time; nothing before the first: size().
  std::uint64_t at_time(std::int64_t time_ns) const;

  /// So many equal columns of a range of time. Before the first row all is 0.
  void query(SeriesId id, TimeRange range, std::size_t columns,
             std::vector<SeriesColumn>& out) const;
  /// The difference over each column: of a sum, what was added.
  void added(SeriesId id, TimeRange range, std::size_t columns,
             std::vector<std::int64_t>& out) const;
  std::uint64_t bytes() const;

 private:
  struct Extremes {
    std::int64_t min, max;
  };
  struct Pyramid {
    AppendOnly<std::int64_t> rows;
    std::array<AppendOnly<Extremes, 64>, 24> levels;
  };
  static constexpr std::size_t index(SeriesId id) { return static_cast<std::size_t>(id); }
  static Extremes extremes(const Pyramid& pyramid, std::uint64_t first, std::uint64_t last);

  std::array<Pyramid, series_count> values_;
  AppendOnly<std::uint64_t> events_;
  AppendOnly<std::int64_t> times_;  // the last to be appended: its size is that of all
};

/// Promise and return of a run so far: blocks × block size / evicted tokens; NaN if none was
/// evicted.
double reclaim_efficiency(std::int64_t freed_blocks, std::uint32_t block_size,
                          std::int64_t evicted_set_tokens, std::uint32_t sets_per_table);

}  // namespace vacancy::gui
