// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/paint/map_scene.hpp"

namespace vacancy::gui::test {

/// A pool whose blocks are set one by one.
class MadePool {
 public:
  explicit MadePool(std::uint32_t blocks, std::uint32_t block_size = 16)
      : block_size_(block_size),
        live_(blocks),
        fill_(blocks),
        flags_(blocks),
        references_(blocks),
        owner_(blocks, no_sequence),
        changed_(blocks, -1) {}

  void hold(std::uint32_t block, std::uint32_t live, std::uint32_t holes,
            std::uint32_t references = 1, std::uint8_t more_flags = 0) {
    live_[block] = static_cast<std::uint16_t>(live);
    fill_[block] = static_cast<std::uint16_t>(live + holes);
    flags_[block] = static_cast<std::uint8_t>(BlockFlag::held | more_flags);
    references_[block] = references;
    owner_[block] = block % 7;
  }
  void flag(std::uint32_t block, std::uint8_t flags) { flags_[block] = flags; }

  PoolView view() const {
    PoolView v;
    v.block_size = block_size_;
    v.live = live_;
    v.fill = fill_;
    v.flags = flags_;
    v.references = references_;
    v.owner = owner_;
    v.changed_ns = changed_;
    return v;
  }
  /// The slots of a block: its live ones, its holes, its tail, in this order.
  SlotReader slots() const {
    return [this](std::uint32_t block) -> std::span<const SlotView> {
      scratch_.assign(block_size_, {});
      for (std::uint32_t i = 0; i < block_size_; ++i) {
        scratch_[i].state = i < live_[block]   ? SlotState::live
                            : i < fill_[block] ? SlotState::hole
                                               : SlotState::tail;
        if (i < fill_[block]) scratch_[i].position = block * block_size_ + i;
        scratch_[i].score = std::nanf("");
      }
      return scratch_;
    };
  }
  MapScene scene(Theme theme) const {
    MapScene s;
    s.pool = view();
    s.palette = &palette_of(theme);
    s.slots = slots();
    return s;
  }

  /// Every kind of block, at random.
  void scatter(std::uint64_t seed) {
    std::uint64_t state = seed;
    const auto draw = [&state](std::uint32_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<std::uint32_t>((state >> 33) % below);
    };
    for (std::uint32_t b = 0; b < flags_.size(); ++b) {
      const std::uint32_t kind = draw(8);
      if (kind == 0) {
        flags_[b] = 0;
      } else if (kind == 1) {
        flags_[b] = BlockFlag::cached;
      } else {
        const std::uint32_t fill = 1 + draw(block_size_);
        const std::uint32_t live = draw(fill + 1);
        hold(b, live, fill - live, kind == 2 ? 3 : 1,
             kind == 3 && live > 0 ? BlockFlag::pinned : 0);
      }
    }
  }

 private:
  std::uint32_t block_size_;
  std::vector<std::uint16_t> live_, fill_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> references_, owner_;
  std::vector<std::int64_t> changed_;
  mutable std::vector<SlotView> scratch_;
};

}  // namespace vacancy::gui::test
