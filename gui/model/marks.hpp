// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/append_only.hpp"

namespace vacancy::gui {

/// What stands out in a run: the glyphs below the timeline and the rows of the event list.
enum class MarkKind : std::uint8_t {
  evict,    // ■ a round that brought no block back
  reclaim,  // ▲ a round that did
  admit,    // ▶
  finish,   // ○
  preempt,  // ▼
  out_of_memory,
  reject,  // a request that can never run
  skip     // a round was due and nothing was evicted
};
inline constexpr std::size_t mark_kinds = 8;

struct Mark {
  std::uint64_t event = 0;  // its number; the state that shows it is the one after event + 1 events
  std::int64_t time_ns = 0;
  std::uint64_t tokens = 0;  // evicted (contract §3, summed over tables), or newly admitted
  std::int64_t blocks = 0;   // came back, less those that reclaim took
  std::uint32_t sequence = 0;
  std::uint32_t round = 0;
  MarkKind kind = MarkKind::evict;
};

/// Half-open, in nanoseconds of virtual time.
struct TimeRange {
  std::int64_t first_ns = 0, last_ns = 0;
  bool operator==(const TimeRange&) const = default;
};

/// The marks of a run in the order of events, and for each kind where they are. One thread appends,
/// others read.
class Marks {
 public:
  void append(const Mark& mark);

  std::uint64_t size() const { return all_.size(); }
  const Mark& operator[](std::uint64_t i) const { return all_[i]; }
  std::uint64_t count(MarkKind kind) const { return of(kind).size(); }

  /// The first mark whose event is `event` or later; size() if there is none.
  std::uint64_t from_event(std::uint64_t event) const;
  /// The next mark of a kind at `event` or later; the last one before it.
  std::optional<Mark> next(MarkKind kind, std::uint64_t event) const;
  std::optional<Mark> previous(MarkKind kind, std::uint64_t event) const;

  /// Marks of each kind in each of so many equal columns of the range.
  using Counts = std::array<std::uint32_t, mark_kinds>;
  void columns(TimeRange range, std::size_t columns, std::vector<Counts>& out) const;

 private:
  using Places = AppendOnly<std::uint64_t>;  // in all_
  const Places& of(MarkKind kind) const { return by_kind_[static_cast<std::size_t>(kind)]; }

  AppendOnly<Mark> all_;
  std::array<Places, mark_kinds> by_kind_;
};

}  // namespace vacancy::gui
