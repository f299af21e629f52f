// SPDX-License-Identifier: Apache-2.0
#include "gui/model/history.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include "gui/model/byte_stream.hpp"

namespace vacancy::gui {

bool History::append(const vacancy::Event& event) {
  if (full_.load(std::memory_order_relaxed)) return false;
  scratch_.clear();
  encode(event, scratch_);
  const std::size_t body = scratch_.size();
  const std::size_t head = (static_cast<std::size_t>(std::bit_width(body)) + 6) / 7;
  const std::uint64_t bytes = bytes_.load(std::memory_order_relaxed);
  if (bytes + body + head > limit_) {
    full_.store(true, std::memory_order_release);
    return false;
  }
  if (room_ < body + head) {
    if (end_ != nullptr) *end_ = 0;
    room_ = std::max(chunk_bytes, body + head);
    used_ = 0;
    auto data = std::make_unique<std::uint8_t[]>(room_ + 1);
    end_ = data.get();
    chunks_.push_back({std::move(data)});
  }
  const std::uint64_t n = size_.load(std::memory_order_relaxed);
  const bool starts_group = n % events_per_group == 0;
  if (starts_group)
    groups_.push_back({static_cast<std::uint32_t>(chunks_.size() - 1),
                       static_cast<std::uint32_t>(used_), time_ns_});
  if (const auto* clock = std::get_if<ClockAdvanced>(&event)) time_ns_ = clock->now.value();
  for (std::size_t rest = body; rest > 0; rest >>= 7)
    *end_++ = static_cast<std::uint8_t>((rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0));
  end_ = std::copy(scratch_.begin(), scratch_.end(), end_);
  room_ -= body + head;
  used_ += body + head;
  bytes_.store(bytes + body + head + (starts_group ? sizeof(Group) : 0), std::memory_order_relaxed);
  size_.store(n + 1, std::memory_order_release);
  return true;
}

void HistoryReader::load(std::uint64_t group) {
  constexpr std::uint64_t per = History::events_per_group;
  // The last group may have grown since it was read.
  const std::uint64_t here = std::min(history_.size() - group * per, per);
  if (group == group_ && loaded_ == here) return;
  group_ = group;
  loaded_ = here;
  const History::Group place = history_.groups_[group];
  std::uint64_t chunk = place.chunk;
  const std::uint8_t* next = history_.chunks_[chunk].data.get() + place.byte;
  for (std::uint64_t i = 0; i < here; ++i) {
    std::size_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *next++;
      length |= std::size_t{byte & 0x7fu} << shift;
      if (byte >= 0x80) continue;
      if (length > 0) break;
      next = history_.chunks_[++chunk].data.get();
      shift = static_cast<unsigned>(-7);
    }
    events_[i] = {next, length};
    next += length;
  }
}

std::span<const std::uint8_t> HistoryReader::bytes(std::uint64_t n) {
  constexpr std::uint64_t per = History::events_per_group;
  if (n / per != group_ || n % per >= loaded_) load(n / per);
  return events_[n % per];
}

std::int64_t HistoryReader::time_ns(std::uint64_t n) {
  constexpr std::uint64_t per = History::events_per_group;
  for (std::uint64_t i = n + 1; i-- > n / per * per;)
    if (kind(i) == kind_of<ClockAdvanced>)
      return std::get<ClockAdvanced>(clock_.decode(bytes(i))).now.value();
  return history_.groups_[n / per].time_ns;
}

std::uint64_t HistoryReader::before(std::int64_t time) {
  return time == INT64_MIN ? 0 : until(time - 1);
}

std::uint64_t HistoryReader::until(std::int64_t time) {
  constexpr std::uint64_t per = History::events_per_group;
  const std::uint64_t size = history_.size();
  if (size == 0) return 0;
  // The first group before which the clock is later; the end lies in the one before it.
  const std::uint64_t groups = (size + per - 1) / per;
  const std::uint64_t later = history_.groups_.partition_point(
      0, groups, [&](const History::Group& group) { return group.time_ns <= time; });
  if (later == 0) return 0;
  const std::uint64_t end = std::min(later * per, size);
  for (std::uint64_t n = (later - 1) * per; n < end; ++n)
    if (kind(n) == kind_of<ClockAdvanced> &&
        std::get<ClockAdvanced>(clock_.decode(bytes(n))).now.value() > time)
      return n;
  return end;
}

std::uint64_t HistoryReader::find(std::uint64_t kinds, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; ++n)
    if ((kinds >> kind(n)) & 1) return n;
  return to;
}

std::uint64_t HistoryReader::find_last(std::uint64_t kinds, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = to; n-- > from;)
    if ((kinds >> kind(n)) & 1) return n;
  return to;
}

}  // namespace vacancy::gui
