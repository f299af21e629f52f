// SPDX-License-Identifier: Apache-2.0
#include "gui/model/keyframes.hpp"

#include <algorithm>

namespace vacancy::gui {

namespace {

constexpr std::uint64_t work_apart = 25'000;

}  // namespace

bool Keyframes::due(std::uint64_t work) const {
  return work >= work_apart * spacing_;
}

void Keyframes::add(std::shared_ptr<const Replica> moment) {
  const std::uint64_t size = moment->bytes();
  const std::scoped_lock lock(mutex_);
  frames_.push_back({std::move(moment), size});
  bytes_ += size;
  while (bytes_ > limit_ && frames_.size() > 2) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (i % 2 == 0)
        frames_[kept++] = std::move(frames_[i]);
      else
        bytes_ -= frames_[i].bytes;
    }
    frames_.resize(kept);
    spacing_ *= 2;
  }
}

std::shared_ptr<const Replica> Keyframes::nearest(std::uint64_t event) const {
  const std::scoped_lock lock(mutex_);
  const auto later = std::upper_bound(
      frames_.begin(), frames_.end(), event,
      [](std::uint64_t e, const Frame& frame) { return e < frame.moment->event(); });
  return later == frames_.begin() ? nullptr : std::prev(later)->moment;
}

std::size_t Keyframes::size() const {
  const std::scoped_lock lock(mutex_);
  return frames_.size();
}

std::uint64_t Keyframes::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace vacancy::gui
