// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/block_pool.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/units/error.hpp"

namespace vacancy {

BlockPool::BlockPool(std::uint32_t block_size, std::optional<std::uint32_t> blocks, FreeOrder order,
                     BlockReplacement* replacement)
    : block_size_(block_size), capacity_(blocks), order_(order), replacement_(replacement) {
  VACANCY_ASSERT(block_size > 0, "a block has slots");
  // The free queue then has its blocks without contents in front, as allocate() takes for granted.
  VACANCY_ASSERT(!replacement || (blocks && order == FreeOrder::uncached_first),
                 "a replacement chooses when all free blocks have contents");
  if (blocks) create(*blocks);
}

void BlockPool::follow_pages(std::uint32_t blocks_per_page) {
  VACANCY_ASSERT(held_ == 0, "pages are followed from the start");
  pages_.emplace(blocks_per_page);
  pages_->grow(created());
}

void BlockPool::set_cached(BlockId block, bool cached) {
  Block& b = at(block);
  if (pages_ && b.references == 0 && b.cached != cached)
    cached ? pages_->add(block) : pages_->remove(block);
  b.cached = cached;
}

void BlockPool::create(std::uint32_t count) {
  const std::uint32_t first = created();
  blocks_.resize(first + count);
  free_.grow(first + count);
  if (pages_) pages_->grow(first + count);
  for (std::uint32_t id = first; id < first + count; ++id)
    free_.push_back(BlockId(id));
}

BlockId BlockPool::allocate() {
  const bool grows = !capacity_ && (free_.empty() || cached(free_.front()));
  if (grows) create(1);
  VACANCY_ASSERT(!free_.empty(), "allocation from an exhausted pool");
  BlockId block = grows ? BlockId(created() - 1) : free_.front();
  if (replacement_ != nullptr && cached(block)) block = replacement_->evict();
  free_.remove(block);
  at(block).references = 1;
  if (pages_ && !cached(block)) pages_->add(block);
  peak_held_ = std::max(peak_held_, ++held_);
  return block;
}

void BlockPool::add_reference(BlockId block) {
  if (const std::uint32_t before = at(block).references++; before > 0) {
    ++saved_;
    if (before == 1) ++shared_;
    return;
  }
  free_.remove(block);
  if (pages_ && !cached(block)) pages_->add(block);
  if (replacement_ != nullptr && cached(block)) replacement_->taken(block);
  peak_held_ = std::max(peak_held_, ++held_);
}

std::uint32_t BlockPool::release(std::span<const BlockId> blocks) {
  const auto to_front = [&](BlockId block) {
    return order_ == FreeOrder::uncached_first && !at(block).cached;
  };
  const bool forward = order_ == FreeOrder::append_forward;
  std::uint32_t freed = 0;
  for (std::size_t left = blocks.size(); left-- > 0;) {
    const BlockId block = blocks[forward ? blocks.size() - 1 - left : left];
    if (block == null_block) continue;
    Block& b = at(block);
    if (--b.references > 0) {
      --saved_;
      if (b.references == 1) --shared_;
      continue;
    }
    VACANCY_ASSERT(b.live == 0, "a block returned to the pool while a set holds one of its slots");
    set_fill(b, 0);
    b.apart = false;
    b.holders = 0;
    ++freed;
    if (pages_ && !b.cached) pages_->remove(block);
    if (to_front(block)) continue;
    free_.push_back(block);
    if (replacement_ != nullptr)
      replacement_->freed(block, left > 0 ? blocks[left - 1] : null_block);
  }
  held_ -= freed;
  if (order_ == FreeOrder::uncached_first)
    for (const BlockId block : blocks)
      if (block != null_block && at(block).references == 0 && to_front(block))
        free_.push_front(block);
  return freed;
}

void BlockPool::count_apart(BlockId block) {
  Block& b = at(block);
  const std::size_t slots = blocks_.size() * block_size_;
  if (holders_.size() < slots) holders_.resize(slots);
  const auto first = holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, 0));
  std::fill_n(first, b.fill, b.holders);
  std::fill(first + b.fill, first + block_size_, 0u);
  b.apart = true;
}

void BlockPool::write(BlockId block, std::uint32_t first, std::uint32_t last,
                      std::uint32_t holders) {
  Block& b = at(block);
  if (first == 0) {
    b.apart = false;
    b.holders = holders;
  } else if (!b.apart && (b.holders != holders || first != b.fill)) {
    count_apart(block);
  }
  if (b.apart)
    std::fill_n(holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, first)), last - first,
                holders);
  set_live(b, b.live + last - first);
  set_fill(b, last);
}

void BlockPool::add_holder(BlockId block, std::uint32_t offset) {
  Block& b = at(block);
  if (!b.apart) count_apart(block);
  if (holders_[slot(block, offset)]++ == 0) set_live(b, b.live + 1);
}

void BlockPool::add_holders(BlockId block, std::uint32_t count) {
  Block& b = at(block);
  if (b.apart) {
    for (std::uint32_t offset = 0; offset < b.fill; ++offset)
      holders_[slot(block, offset)] += count;
  } else {
    b.holders += count;
  }
  set_live(b, b.fill);
}

void BlockPool::drop_holders(BlockId block, std::uint32_t count) {
  Block& b = at(block);
  if (b.apart) {
    const auto first = holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, 0));
    std::for_each(first, first + b.fill, [&](std::uint32_t& holders) { holders -= count; });
    set_live(b, static_cast<std::uint32_t>(
                    std::count_if(first, first + b.fill, [](std::uint32_t n) { return n > 0; })));
  } else if ((b.holders -= count) == 0) {
    set_live(b, 0);
  }
}

void BlockPool::drop_holders(BlockId block, std::span<const std::uint8_t> drops) {
  Block& b = at(block);
  if (!b.apart) count_apart(block);
  std::uint32_t* const holders = &holders_[slot(block, 0)];
  std::uint32_t emptied = 0;
  for (std::size_t i = 0; i < drops.size(); ++i) {
    holders[i] -= drops[i];
    emptied += holders[i] == 0 && drops[i] > 0 ? 1u : 0u;
  }
  set_live(b, b.live - emptied);
}

void BlockPool::rewrite(BlockId block, std::span<const std::uint32_t> holders) {
  Block& b = at(block);
  const auto fill = static_cast<std::uint32_t>(holders.size());
  b.holders = holders.empty() ? 0 : holders.front();
  b.apart = false;
  set_fill(b, fill);
  if (std::any_of(holders.begin(), holders.end(),
                  [&](std::uint32_t n) { return n != b.holders; })) {
    count_apart(block);
    std::copy(holders.begin(), holders.end(),
              holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, 0)));
  }
  set_live(b, static_cast<std::uint32_t>(std::count_if(holders.begin(), holders.end(),
                                                       [](std::uint32_t n) { return n > 0; })));
}

void BlockPool::copy_fill(BlockId from, BlockId to) {
  set_fill(at(to), at(from).fill);
}

void BlockPool::set_fill(Block& block, std::uint32_t fill) {
  filled_ = filled_ - block.fill + fill;
  block.fill = fill;
}

void BlockPool::set_live(Block& block, std::uint32_t live) {
  live_ = live_ - block.live + live;
  block.live = live;
}

}  // namespace vacancy
