// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gui/model/replica.hpp"

namespace vacancy::gui {

/// What it costs a replica to apply so many events of so many bytes, in small events: those apply
/// in some millions a second; decisions of many sets take longer, and have the bytes.
constexpr std::uint64_t replay_work(std::uint64_t events, std::uint64_t bytes) {
  return events + bytes / 32;
}

/// Moments of a run that replicas start from, in order. Where they would need more memory than
/// given, every second one goes and new ones come half as often. One thread adds, any may read.
class Keyframes {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{512} << 20;

  explicit Keyframes(std::uint64_t limit = default_limit) : limit_(limit) {}

  /// Whether the next one is due after so much work since the last: a seek replays no more.
  bool due(std::uint64_t work) const;
  void add(std::shared_ptr<const Replica> moment);
  /// The last one at or before a moment; null if there is none.
  std::shared_ptr<const Replica> nearest(std::uint64_t event) const;
  std::size_t size() const;
  std::uint64_t bytes() const;

 private:
  std::uint64_t limit_;
  std::uint64_t spacing_ = 1;  // in units of due()
  mutable std::mutex mutex_;   // held for a few pointers
  std::vector<std::shared_ptr<const Replica>> frames_;
  std::uint64_t bytes_ = 0;  // what several have in common once
};

}  // namespace vacancy::gui
