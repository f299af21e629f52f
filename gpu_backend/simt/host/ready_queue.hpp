// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "gpu_backend/simt/host/executor.hpp"

namespace vacancy::simt::host {

/// The threads of a block that could run, and which of them is next.
class ReadyQueue {
 public:
  void start(const ScheduleOptions& options) {
    options_ = options;
    state_ = options.seed * 0x9E3779B97F4A7C15u | 1;
  }
  Order order() const { return options_.order; }
  /// xorshift64; a schedule needs no better.
  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
  }

  void clear() { head_ = tail_ = 0; }
  bool empty() const { return head_ == tail_; }
  void push(unsigned thread) { ring_[tail_++ % ring_.size()] = static_cast<std::uint16_t>(thread); }
  unsigned pop() {
    if (options_.order == Order::random)
      std::swap(ring_[head_ % ring_.size()],
                ring_[(head_ + random() % (tail_ - head_)) % ring_.size()]);
    return ring_[head_++ % ring_.size()];
  }

 private:
  ScheduleOptions options_;
  std::uint64_t state_ = 1;
  std::array<std::uint16_t, 2 * max_block_threads> ring_{};
  std::uint32_t head_ = 0, tail_ = 0;
};

}  // namespace vacancy::simt::host
