// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vacancy {

/// A stretch of a run list. A Run is `count` consecutive elements from `first` on; what else it
/// holds is common to them. The list must outlive the view.
template <class Run>
class RunView {
 public:
  RunView() = default;
  RunView(const Run* run, std::uint32_t size) : run_(run), size_(size) {}

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// The elements at the front that lie in one run.
  Run front() const {
    Run piece = *run_;
    piece.first += skip_;
    piece.count = std::min(piece.count - skip_, size_);
    return piece;
  }

  void drop_front(std::uint32_t count) {
    size_ -= count;
    while (count > 0) {
      const std::uint32_t left = run_->count - skip_;
      if (count < left) {
        skip_ += count;
        return;
      }
      count -= left;
      ++run_;
      skip_ = 0;
    }
  }

  RunView prefix(std::uint32_t count) const {
    RunView result = *this;
    result.size_ = count;
    return result;
  }

  /// Elements [first, last).
  RunView slice(std::uint32_t first, std::uint32_t last) const {
    RunView result = prefix(last);
    result.drop_front(first);
    return result;
  }

  template <class F>
  void for_each(F&& f) const {
    for (RunView rest = *this; !rest.empty();) {
      const Run piece = rest.front();
      f(piece);
      rest.drop_front(piece.count);
    }
  }

 private:
  const Run* run_ = nullptr;
  std::uint32_t skip_ = 0;  // elements of *run_ before the view
  std::uint32_t size_ = 0;
};

/// A sequence of elements, stored as runs. Runs are maximal: none continues the one before it, so
/// equal sequences have equal runs.
template <class Run>
class RunList {
 public:
  using View = RunView<Run>;

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const Run> runs() const { return runs_; }
  View view() const { return {runs_.data(), size_}; }
  operator View() const { return view(); }

  void append(Run run) {
    if (run.count == 0) return;
    size_ += run.count;
    if (!runs_.empty() && run.continues(runs_.back()))
      runs_.back().count += run.count;
    else
      runs_.push_back(run);
  }
  /// The view must not be of this list.
  void append(View view) {
    view.for_each([&](const Run& run) { append(run); });
  }

  void truncate(std::uint32_t size) {
    for (std::uint32_t gone = size_ - size; gone > 0;) {
      Run& last = runs_.back();
      if (last.count > gone) {
        last.count -= gone;
        break;
      }
      gone -= last.count;
      runs_.pop_back();
    }
    size_ = size;
  }

  void erase_front(std::uint32_t count) {
    size_ -= count;
    std::size_t whole = 0;
    while (count > 0 && runs_[whole].count <= count)
      count -= runs_[whole++].count;
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(whole));
    if (count > 0) {
      runs_.front().first += count;
      runs_.front().count -= count;
    }
  }

  void clear() {
    runs_.clear();
    size_ = 0;
  }
  /// Empties the list; keeps its memory only if it is small, so that a pool of lists does not grow
  /// to (lists × longest list).
  void recycle() {
    constexpr std::size_t kept_runs = 64;
    if (runs_.capacity() > kept_runs) runs_ = {};
    clear();
  }

  friend bool operator==(const RunList& a, const RunList& b) { return a.runs_ == b.runs_; }

 private:
  std::vector<Run> runs_;
  std::uint32_t size_ = 0;
};

}  // namespace vacancy
