// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/block_history.hpp"
#include "gui/model/marks.hpp"
#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// Which marks a list shows: all that fit everything that is set.
struct EventFilter {
  std::bitset<mark_kinds> kinds;  // none: all
  std::optional<std::uint32_t> sequence;
  std::optional<std::uint32_t> block;  // of sequences while they hold it

  bool operator==(const EventFilter&) const = default;
};

/// A filter in words, in any order: kinds (evict, reclaim, admit, finish, preempt, memory, reject,
/// skip), "sequence 88" or "s88", "block 1,174" or "b1174". On a word that is none of these
/// nothing, and `fault` says which words there are.
std::optional<EventFilter> parse_filter(std::string_view text, std::string& fault);

/// The rows of an event list: marks that pass a filter, in order, growing with the recording.
class EventList {
 public:
  explicit EventList(std::shared_ptr<const Recording> recording, EventFilter filter = {});

  const EventFilter& filter() const { return filter_; }
  void set_filter(const EventFilter& filter);
  /// Takes in what was recorded since the last call; true if there are more rows.
  bool update();

  std::uint64_t size() const { return all() ? seen_ : rows_.size(); }
  const Mark& row(std::uint64_t i) const {
    return recording_->marks()[all() ? i : rows_[static_cast<std::size_t>(i)]];
  }
  /// Rows that have happened after so many events: the place of the cursor between rows.
  std::uint64_t happened(std::uint64_t event) const;

 private:
  bool all() const { return filter_ == EventFilter{}; }
  bool fits(const Mark& mark) const;

  std::shared_ptr<const Recording> recording_;
  EventFilter filter_;
  std::vector<BlockHolding> holdings_;
  std::vector<std::uint64_t> rows_;  // places among the marks
  std::uint64_t seen_ = 0;           // marks
};

}  // namespace vacancy::gui
