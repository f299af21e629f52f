// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/block_pool.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/units/error.hpp"

namespace vacancy {

BlockPool::BlockPool(std::uint32_t block_size, std::optional<std::uint32_t> blocks)
    : block_size_(block_size), capacity_(blocks) {
  VACANCY_ASSERT(block_size > 0, "a block has slots");
  if (blocks) create(*blocks);
}

void BlockPool::create(std::uint32_t count) {
  const std::uint32_t first = created();
  blocks_.resize(first + count);
  holders_.resize(std::size_t{first + count} * block_size_);
  free_.grow(first + count);
  for (std::uint32_t id = first; id < first + count; ++id)
    free_.push_back(BlockId(id));
}

BlockId BlockPool::allocate() {
  prepare(1);
  VACANCY_ASSERT(!free_.empty(), "allocation from an exhausted pool");
  const BlockId block = free_.pop_front();
  at(block).references = 1;
  peak_held_ = std::max(peak_held_, ++held_);
  return block;
}

bool BlockPool::release(BlockId block) {
  Block& b = at(block);
  if (--b.references > 0) return false;
  VACANCY_ASSERT(b.live == 0, "a block returned to the pool while a set holds one of its slots");
  set_fill(b, 0);
  --held_;
  free_.push_back(block);
  return true;
}

void BlockPool::write(BlockId block, std::uint32_t first, std::uint32_t last,
                      std::uint32_t holders) {
  Block& b = at(block);
  std::fill_n(holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, first)), last - first,
              holders);
  b.live += last - first;
  live_ += last - first;
  set_fill(b, last);
}

void BlockPool::add_holder(BlockId block, std::uint32_t offset) {
  if (holders_[slot(block, offset)]++ == 0) {
    ++at(block).live;
    ++live_;
  }
}

void BlockPool::rewrite(BlockId block, std::span<const std::uint32_t> holders) {
  const auto first = holders_.begin() + static_cast<std::ptrdiff_t>(slot(block, 0));
  std::copy(holders.begin(), holders.end(), first);
  std::fill(first + static_cast<std::ptrdiff_t>(holders.size()), first + block_size_, 0u);
  Block& b = at(block);
  live_ -= b.live;
  b.live = static_cast<std::uint32_t>(
      std::count_if(holders.begin(), holders.end(), [](std::uint32_t n) { return n > 0; }));
  live_ += b.live;
  set_fill(b, static_cast<std::uint32_t>(holders.size()));
}

void BlockPool::copy_fill(BlockId from, BlockId to) {
  set_fill(at(to), at(from).fill);
}

void BlockPool::set_fill(Block& block, std::uint32_t fill) {
  filled_ = filled_ - block.fill + fill;
  block.fill = fill;
}

}  // namespace vacancy
