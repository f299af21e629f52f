// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gui/model/append_only.hpp"
#include "gui/model/event_codec.hpp"

namespace vacancy::gui {

/// Every event of a run, in order and in tens of bytes or fewer each. One thread appends; any other
/// reads all below a size() that it has seen, without locks: chunks never move. Events count from
/// 0; "after n events" is a moment, 0 … size().
class History {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{2} << 30;

  /// `limit`: bytes of events; what would go beyond is not recorded.
  explicit History(std::uint64_t limit = default_limit) : limit_(limit) {}

  /// The writer's thread only. False, and nothing recorded, from the first event on for which there
  /// was no room.
  bool append(const vacancy::Event& event);

  std::uint64_t size() const { return size_.load(std::memory_order_acquire); }
  bool full() const { return full_.load(std::memory_order_acquire); }
  std::uint64_t limit() const { return limit_; }
  /// Of the events and the index over them.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class HistoryReader;
  static constexpr std::uint64_t events_per_group = 32;
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

  /// Where so many events begin: a chunk and a byte in it; and the clock before them.
  struct Group {
    std::uint32_t chunk = 0, byte = 0;
    std::int64_t time_ns = 0;
  };
  /// An event is its length and its bytes; a length of 0 says that the next chunk goes on.
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> data;
  };

  std::uint64_t limit_;
  AppendOnly<Chunk, 16> chunks_;
  AppendOnly<Group> groups_;
  std::atomic<std::uint64_t> size_{0}, bytes_{0};
  std::atomic<bool> full_{false};
  // The writer's own.
  std::vector<std::uint8_t> scratch_;
  std::uint8_t* end_ = nullptr;  // of what is written of the last chunk
  std::size_t room_ = 0;         // behind it, a byte for the 0 left out
  std::size_t used_ = 0;
  std::int64_t time_ns_ = 0;
};

/// A thread's own way to read a history; cheap, with a memory of the place where it read last. The
/// history outlives it.
class HistoryReader {
 public:
  explicit HistoryReader(const History& history) : history_(history) {}

  std::uint64_t size() const { return history_.size(); }
  /// An event below size(). Valid until the next call.
  const vacancy::Event& event(std::uint64_t n) { return decoder_.decode(bytes(n)); }
  /// How many bytes it takes: about how much there is to do for it.
  std::size_t length(std::uint64_t n) { return bytes(n).size(); }
  /// Its kind, without reading the rest.
  EventKind kind(std::uint64_t n) { return bytes(n).front(); }
  /// Whether it is the same event, field by field, as the one of that number in another history.
  bool same(std::uint64_t n, HistoryReader& other) {
    const auto own = bytes(n), theirs = other.bytes(n);
    return std::equal(own.begin(), own.end(), theirs.begin(), theirs.end());
  }
  /// Nanoseconds of virtual time at which it happens; of a clock that advances, the new time.
  std::int64_t time_ns(std::uint64_t n);
  /// How many events happen before the time; the moment before anything of that time.
  std::uint64_t before(std::int64_t time_ns);
  /// How many events happen up to the time, those of that time included.
  std::uint64_t until(std::int64_t time_ns);
  /// The first event in [from, to) of one of these kinds, a bit each; `to` if there is none.
  std::uint64_t find(std::uint64_t kinds, std::uint64_t from, std::uint64_t to);
  /// The last one in [from, to); `to` if there is none.
  std::uint64_t find_last(std::uint64_t kinds, std::uint64_t from, std::uint64_t to);

 private:
  std::span<const std::uint8_t> bytes(std::uint64_t n);
  void load(std::uint64_t group);

  const History& history_;
  EventDecoder decoder_;
  EventDecoder clock_;  // for times, so that an event stays valid
  std::uint64_t group_ = UINT64_MAX, loaded_ = 0;
  std::span<const std::uint8_t> events_[History::events_per_group];
};

template <class... E>
inline constexpr std::uint64_t kinds_of = ((std::uint64_t{1} << kind_of<E>) | ...);

}  // namespace vacancy::gui
