// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/paint/map_scene.hpp"

namespace vacancy::gui::test {

/// A pool whose blocks are set one by one.
class MadePool {
 public:
  explicit MadePool(std::uint32_t blocks, std::uint32_t block_size = 16)
      : block_size_(block_size), blocks_(blocks) {
    for (std::size_t i = 0; i < block_pages(blocks); ++i)
      pages_.push_back(std::make_shared<BlockPage>());
    shown_.assign(pages_.begin(), pages_.end());
  }

  void hold(std::uint32_t block, std::uint32_t live, std::uint32_t holes,
            std::uint32_t references = 1, std::uint8_t more_flags = 0) {
    BlockPage& page = page_of(block);
    const std::uint32_t at = block % BlockPage::blocks;
    page.live[at] = static_cast<std::uint16_t>(live);
    page.fill[at] = static_cast<std::uint16_t>(live + holes);
    page.flags[at] = static_cast<std::uint8_t>(BlockFlag::held | more_flags);
    page.references[at] = references;
    page.owner[at] = block % 7;
  }
  void flag(std::uint32_t block, std::uint8_t flags) {
    page_of(block).flags[block % BlockPage::blocks] = flags;
  }

  PoolView view() const { return {shown_, blocks_, block_size_, 0, 0}; }
  /// The slots of a block: its live ones, its holes, its tail, in this order.
  SlotReader slots() const {
    return [this](std::uint32_t block) -> std::span<const SlotView> {
      scratch_.assign(block_size_, {});
      const PoolView v = view();
      for (std::uint32_t i = 0; i < block_size_; ++i) {
        scratch_[i].state = i < v.live[block]   ? SlotState::live
                            : i < v.fill[block] ? SlotState::hole
                                                : SlotState::tail;
        if (i < v.fill[block]) scratch_[i].position = block * block_size_ + i;
        scratch_[i].score = unweighed;
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
    for (std::uint32_t b = 0; b < blocks_; ++b) {
      const std::uint32_t kind = draw(8);
      if (kind == 0) {
        flag(b, 0);
      } else if (kind == 1) {
        flag(b, BlockFlag::cached);
      } else {
        const std::uint32_t fill = 1 + draw(block_size_);
        const std::uint32_t live = draw(fill + 1);
        hold(b, live, fill - live, kind == 2 ? 3 : 1,
             kind == 3 && live > 0 ? BlockFlag::pinned : 0);
      }
    }
  }

 private:
  BlockPage& page_of(std::uint32_t block) { return *pages_[block / BlockPage::blocks]; }

  std::uint32_t block_size_, blocks_;
  std::vector<std::shared_ptr<BlockPage>> pages_;
  std::vector<std::shared_ptr<const BlockPage>> shown_;  // the same
  mutable std::vector<SlotView> scratch_;
};

}  // namespace vacancy::gui::test
