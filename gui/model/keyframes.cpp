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
  // Nobody else writes, so that what is there can be read without the lock.
  std::vector<std::shared_ptr<const Replica>> frames = frames_;
  std::uint64_t bytes =
      bytes_ + moment->bytes_beside(frames.empty() ? nullptr : frames.back().get());
  frames.push_back(std::move(moment));
  while (bytes > limit_ && frames.size() > 2) {
    std::size_t kept = 0;
    bytes = 0;
    for (std::size_t i = 0; i < frames.size(); i += 2, ++kept) {
      frames[kept] = frames[i];
      bytes += frames[kept]->bytes_beside(kept == 0 ? nullptr : frames[kept - 1].get());
    }
    frames.resize(kept);
    spacing_ *= 2;
  }
  const std::scoped_lock lock(mutex_);
  frames_.swap(frames);
  bytes_ = bytes;
}

std::shared_ptr<const Replica> Keyframes::nearest(std::uint64_t event) const {
  const std::scoped_lock lock(mutex_);
  const auto later =
      std::upper_bound(frames_.begin(), frames_.end(), event,
                       [](std::uint64_t e, const auto& frame) { return e < frame->event(); });
  return later == frames_.begin() ? nullptr : *std::prev(later);
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
