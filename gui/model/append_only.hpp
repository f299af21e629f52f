// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

namespace vacancy::gui {

/// A list that one thread appends to while others read what it published: elements never move, so
/// that whoever has seen size() reads everything below it without a lock. Segments double, so that
/// at most half of the memory is unused.
template <class T, std::uint64_t First = 256>
class AppendOnly {
  static_assert(std::has_single_bit(First));

 public:
  AppendOnly() = default;
  AppendOnly(const AppendOnly&) = delete;
  AppendOnly& operator=(const AppendOnly&) = delete;
  ~AppendOnly() = default;

  /// The writer's thread only.
  void push_back(T value) {
    const std::uint64_t n = size_.load(std::memory_order_relaxed);
    const Place place = place_of(n);
    if (!segments_[place.segment])
      segments_[place.segment] = std::make_unique<T[]>(First << place.segment);
    segments_[place.segment][place.offset] = std::move(value);
    size_.store(n + 1, std::memory_order_release);
  }

  std::uint64_t size() const { return size_.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }
  /// An element below a size() that this thread has seen.
  const T& operator[](std::uint64_t i) const {
    const Place place = place_of(i);
    return segments_[place.segment][place.offset];
  }

  /// The first index in [first, last) for which `before(element)` is false; `last` if none. The
  /// elements are partitioned by it.
  template <class F>
  std::uint64_t partition_point(std::uint64_t first, std::uint64_t last, F&& before) const {
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if (before((*this)[middle]))
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

 private:
  struct Place {
    std::size_t segment;
    std::uint64_t offset;
  };
  /// Segment s has First × 2^s elements, behind First × (2^s − 1) others.
  static Place place_of(std::uint64_t i) {
    const auto segment = static_cast<std::size_t>(std::bit_width(i / First + 1) - 1);
    return {segment, i - First * ((std::uint64_t{1} << segment) - 1)};
  }

  std::array<std::unique_ptr<T[]>, 48> segments_;
  std::atomic<std::uint64_t> size_{0};
};

}  // namespace vacancy::gui
