// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace vacancy::gui {

/// What is known of a block at one moment besides its slots; a set of bits.
enum BlockFlag : std::uint8_t {
  held = 1,    // a table refers to it
  cached = 2,  // its contents can be found by a prefix index
  pinned = 4,  // a prompt that eviction must not touch, or a block that the index pins, lies in it
  host_tier = 8  // its contents are in the host's memory (its id lies in the lane below the pool)
};

inline constexpr std::uint32_t no_sequence = UINT32_MAX;

enum class SlotState : std::uint8_t { live, hole, tail };

/// The score of what no policy weighed. A NaN, so that std::fmax leaves it aside.
inline constexpr float unweighed = std::numeric_limits<float>::quiet_NaN();

/// One slot of a held block.
struct SlotView {
  SlotState state = SlotState::tail;
  std::uint32_t position = UINT32_MAX;  // of the token that is or was here; UINT32_MAX: none
  std::uint32_t holders = 0;            // (table, set) pairs that keep the token
  float score = unweighed;              // of the last decision about it
  std::int64_t evicted_ns = -1;         // virtual time since when it is a hole; -1: it is none
};

/// What is known of so many blocks with consecutive ids, column by column: the pool's unit of
/// sharing between moments, small enough for one to be copied in microseconds.
struct BlockPage {
  static constexpr std::uint32_t blocks = 512;
  template <class T>
  using Column = std::array<T, blocks>;

  BlockPage() {
    owner.fill(no_sequence);
    changed_ns.fill(-1);
    allocated_ns.fill(-1);
  }

  Column<std::uint16_t> live{}, fill{};  // slots with a holder; slots before the table's end
  Column<std::uint8_t> flags{};          // BlockFlag
  Column<std::uint32_t> references{};    // tables that hold it
  Column<std::uint32_t> owner;  // the sequence that holds it, of several the first; no_sequence
  Column<std::uint32_t> owner_table{};
  Column<std::int64_t> changed_ns;    // of the last event that touched it; -1: none did
  Column<std::int64_t> allocated_ns;  // of its last allocation; -1: it never was
};

using BlockPages = std::span<const std::shared_ptr<const BlockPage>>;

/// Pages of blocks that nothing happened to yet are one in memory.
inline const std::shared_ptr<const BlockPage>& untouched_page() {
  static const auto page = std::make_shared<const BlockPage>();
  return page;
}

/// How many pages so many blocks take.
constexpr std::size_t block_pages(std::uint32_t blocks) {
  return (std::size_t{blocks} + BlockPage::blocks - 1) / BlockPage::blocks;
}

/// One column of all blocks, by id.
template <auto column>
class BlockColumn {
 public:
  BlockColumn() = default;
  BlockColumn(BlockPages pages, std::uint32_t blocks) : pages_(pages), blocks_(blocks) {}

  std::size_t size() const { return blocks_; }
  bool empty() const { return blocks_ == 0; }
  auto operator[](std::size_t block) const {
    return ((*pages_[block / BlockPage::blocks]).*column)[block % BlockPage::blocks];
  }

 private:
  BlockPages pages_;
  std::uint32_t blocks_ = 0;
};

/// The pool at one moment of a run, by block id; those of other windows' pools and of the host
/// behind the device's own. The sums of a block: live + holes + tail = block_size, where it is
/// held: holes = fill - live, tail = block_size - fill.
struct PoolView {
  PoolView() = default;
  PoolView(BlockPages all, std::uint32_t blocks, std::uint32_t slots, std::uint64_t events,
           std::int64_t time)
      : block_size(slots),
        event(events),
        time_ns(time),
        pages(all),
        live(all, blocks),
        fill(all, blocks),
        flags(all, blocks),
        references(all, blocks),
        owner(all, blocks),
        changed_ns(all, blocks) {}

  std::uint32_t block_size = 0;
  std::uint64_t event = 0;   // events that have happened
  std::int64_t time_ns = 0;  // virtual
  BlockPages pages;          // for who reads all of them; the last one may have more blocks
  BlockColumn<&BlockPage::live> live;
  BlockColumn<&BlockPage::fill> fill;
  BlockColumn<&BlockPage::flags> flags;
  BlockColumn<&BlockPage::references> references;
  BlockColumn<&BlockPage::owner> owner;
  BlockColumn<&BlockPage::changed_ns> changed_ns;
};

}  // namespace vacancy::gui
