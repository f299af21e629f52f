// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/prefix/replacement/frequency_sketch.hpp"

// Caches written down as the papers say it, with searches instead of structures: what the policies
// are held against.

namespace vacancy::test {

class PlainCache {
 public:
  virtual ~PlainCache() = default;
  /// Whether the content was cached; it is afterwards.
  virtual bool use(std::uint32_t content, std::uint32_t position) = 0;
};

/// A cached block with everything that an order can go by.
struct PlainBlock {
  std::uint32_t content = 0, position = 0;
  std::uint64_t uses = 1, inserted = 0, used = 0;
};

/// The block that is less than all others goes.
class OrderedPlainCache final : public PlainCache {
 public:
  using Less = std::function<bool(const PlainBlock&, const PlainBlock&)>;
  OrderedPlainCache(std::size_t capacity, bool remember, Less less)
      : capacity_(capacity), remember_(remember), less_(std::move(less)) {}

  bool use(std::uint32_t content, std::uint32_t position) override {
    ++clock_;
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const PlainBlock& b) { return b.content == content; });
    if (found != blocks_.end()) {
      ++found->uses;
      found->used = clock_;
      found->position = position;
      return true;
    }
    if (blocks_.size() == capacity_) {
      const auto victim = std::min_element(blocks_.begin(), blocks_.end(), less_);
      counts_[victim->content] = victim->uses;
      blocks_.erase(victim);
    }
    blocks_.push_back({content, position, 1 + (remember_ ? counts_[content] : 0), clock_, clock_});
    return false;
  }

 private:
  std::size_t capacity_;
  bool remember_;
  Less less_;
  std::vector<PlainBlock> blocks_;
  std::map<std::uint32_t, std::uint64_t> counts_;
  std::uint64_t clock_ = 0;
};

/// A queue, oldest first.
class PlainQueue {
 public:
  bool contains(std::uint32_t content) const {
    return std::find(items_.begin(), items_.end(), content) != items_.end();
  }
  void push(std::uint32_t content) { items_.push_back(content); }
  void erase(std::uint32_t content) {
    items_.erase(std::find(items_.begin(), items_.end(), content));
  }
  std::uint32_t pop() {
    const std::uint32_t first = items_.front();
    items_.pop_front();
    return first;
  }
  std::uint32_t front() const { return items_.front(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

 private:
  std::deque<std::uint32_t> items_;
};

/// Karedla, Love, Wherry 1994, with any number of segments (Huang et al. 2013) and of hits to rise.
class SegmentedPlainCache final : public PlainCache {
 public:
  SegmentedPlainCache(std::size_t capacity, std::size_t segments, std::size_t limit, int to_rise)
      : capacity_(capacity), limit_(limit), to_rise_(to_rise), segments_(segments) {}

  bool use(std::uint32_t content, std::uint32_t /*position*/) override {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (!segments_[i].contains(content)) continue;
      segments_[i].erase(content);
      const bool rises = ++hits_[content] >= to_rise_ && i + 1 < segments_.size();
      push(rises ? i + 1 : i, content, rises);
      return true;
    }
    std::size_t size = 0;
    for (const PlainQueue& segment : segments_)
      size += segment.size();
    if (size == capacity_)
      std::find_if(segments_.begin(), segments_.end(), [](const PlainQueue& s) {
        return !s.empty();
      })->pop();
    push(0, content, true);
    return false;
  }

 private:
  void push(std::size_t segment, std::uint32_t content, bool enters) {
    if (enters) hits_[content] = 0;
    segments_[segment].push(content);
    if (segment > 0 && segments_[segment].size() > limit_)
      push(segment - 1, segments_[segment].pop(), true);
  }

  std::size_t capacity_, limit_;
  int to_rise_;
  std::vector<PlainQueue> segments_;
  std::map<std::uint32_t, int> hits_;
};

/// Yang et al. 2023, Algorithm 1; one block leaves at a time.
class S3FifoPlainCache final : public PlainCache {
 public:
  S3FifoPlainCache(std::size_t capacity, std::size_t small, std::size_t ghosts)
      : capacity_(capacity), small_limit_(small), ghost_limit_(ghosts) {}

  bool use(std::uint32_t content, std::uint32_t /*position*/) override {
    if (small_.contains(content) || main_.contains(content)) {
      hits_[content] = std::min(hits_[content] + 1, 3);
      return true;
    }
    if (small_.size() + main_.size() == capacity_) evict();
    hits_[content] = 0;
    if (ghosts_.contains(content)) {
      ghosts_.erase(content);
      main_.push(content);
    } else {
      small_.push(content);
    }
    return false;
  }

 private:
  void evict() {
    if (small_.size() >= small_limit_ && evict_small()) return;
    if (main_.empty() || !evict_main()) evict_small();
  }
  bool evict_small() {
    while (!small_.empty()) {
      const std::uint32_t tail = small_.pop();
      if (hits_[tail] <= 1) {
        ghosts_.push(tail);
        if (ghosts_.size() > ghost_limit_) ghosts_.pop();
        return true;
      }
      hits_[tail] = 0;
      main_.push(tail);
      if (main_.size() > capacity_ - small_limit_) return evict_main();
    }
    return false;
  }
  bool evict_main() {
    while (!main_.empty()) {
      const std::uint32_t tail = main_.pop();
      if (hits_[tail] == 0) return true;
      --hits_[tail];
      main_.push(tail);
    }
    return false;
  }

  std::size_t capacity_, small_limit_, ghost_limit_;
  PlainQueue small_, main_, ghosts_;
  std::map<std::uint32_t, int> hits_;
};

/// Megiddo, Modha 2003, Figure 4, case by case.
class ArcPlainCache final : public PlainCache {
 public:
  explicit ArcPlainCache(std::size_t capacity) : c_(capacity) {}

  bool use(std::uint32_t x, std::uint32_t /*position*/) override {
    if (t1_.contains(x) || t2_.contains(x)) {  // case I
      (t1_.contains(x) ? t1_ : t2_).erase(x);
      t2_.push(x);
      return true;
    }
    const auto b1 = static_cast<double>(b1_.size()), b2 = static_cast<double>(b2_.size());
    if (b1_.contains(x)) {  // case II
      p_ = std::min(p_ + (b1_.size() >= b2_.size() ? 1 : b2 / b1), static_cast<double>(c_));
      replace(false);
      b1_.erase(x);
      t2_.push(x);
    } else if (b2_.contains(x)) {  // case III
      p_ = std::max(p_ - (b2_.size() >= b1_.size() ? 1 : b1 / b2), 0.0);
      replace(true);
      b2_.erase(x);
      t2_.push(x);
    } else {  // case IV
      const std::size_t l1 = t1_.size() + b1_.size();
      const std::size_t all = l1 + t2_.size() + b2_.size();
      if (l1 == c_) {
        if (t1_.size() < c_) {
          b1_.pop();
          replace(false);
        } else {
          t1_.pop();
        }
      } else if (l1 < c_ && all >= c_) {
        if (all == 2 * c_) b2_.pop();
        replace(false);
      }
      t1_.push(x);
    }
    return false;
  }

 private:
  void replace(bool in_b2) {
    const auto size = static_cast<double>(t1_.size());
    if (!t1_.empty() && (size > p_ || (in_b2 && size == p_)))
      b1_.push(t1_.pop());
    else
      b2_.push(t2_.pop());
  }

  std::size_t c_;
  double p_ = 0;
  PlainQueue t1_, t2_, b1_, b2_;
};

/// Einziger, Friedman, Manes 2017: a window in front of an SLRU, a sketch between them.
class WTinyLfuPlainCache final : public PlainCache {
 public:
  WTinyLfuPlainCache(std::size_t capacity, std::size_t window, std::size_t guarded,
                     FrequencySketch sketch)
      : capacity_(capacity),
        window_limit_(window),
        guarded_limit_(guarded),
        sketch_(std::move(sketch)) {}

  bool use(std::uint32_t content, std::uint32_t /*position*/) override {
    const bool hit = hit_in_place(content);
    if (!hit) {
      const bool full = window_.size() + probation_.size() + guarded_.size() == capacity_;
      if (full) evict();
      window_.push(content);
      if (window_.size() > window_limit_) probation_.push(window_.pop());
    }
    sketch_.add(ContentIndex(content));
    return hit;
  }

 private:
  bool hit_in_place(std::uint32_t content) {
    if (window_.contains(content)) {
      window_.erase(content);
      window_.push(content);
    } else if (guarded_.contains(content)) {
      guarded_.erase(content);
      guarded_.push(content);
    } else if (probation_.contains(content)) {
      probation_.erase(content);
      guarded_.push(content);
      if (guarded_.size() > guarded_limit_) probation_.push(guarded_.pop());
    } else {
      return false;
    }
    return true;
  }
  void evict() {
    PlainQueue& main = probation_.empty() ? guarded_ : probation_;
    if (main.empty() || frequency(window_.front()) <= frequency(main.front())) {
      window_.pop();
      return;
    }
    main.pop();
    probation_.push(window_.pop());
  }
  std::uint32_t frequency(std::uint32_t content) const {
    return sketch_.estimate(ContentIndex(content));
  }

  std::size_t capacity_, window_limit_, guarded_limit_;
  PlainQueue window_, probation_, guarded_;
  FrequencySketch sketch_;
};

}  // namespace vacancy::test
