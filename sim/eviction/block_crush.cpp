// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/block_crush.hpp"

#include <algorithm>
#include <vector>

#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

/// Bit s of the result: the token in table slot s has a weight in the upper half.
void mark_upper_half(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                     std::span<std::uint64_t> marked, std::vector<std::uint32_t>& order) {
  order.clear();
  for (std::uint32_t i = 0; i < tokens.size(); ++i)
    if (!bits::test(apart, tokens.block_of(i))) order.push_back(i);
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), half, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return tokens.weights[a] != tokens.weights[b] ? tokens.weights[a] > tokens.weights[b] : a < b;
  });
  std::for_each(order.begin(), half, [&](std::uint32_t i) { bits::set(marked, tokens.slots[i]); });
}

/// Bit `slot` of the anchor. `blocks` are those whose patterns a mean anchor is the mean of.
bool anchor_bit(const CrushRule& rule, std::uint32_t slot, std::uint32_t block_size,
                std::span<const std::uint32_t> blocks, std::span<const std::uint64_t> marked) {
  switch (rule.anchor) {
    case CrushAnchor::random: {
      PhiloxCounter counter = rule.counter;
      counter[3] = slot;
      return philox4x32_10(counter, rule.key)[0] >> 31 != 0;
    }
    case CrushAnchor::zeros:
      return false;
    case CrushAnchor::ones:
      return true;
    case CrushAnchor::alternate:
      return slot % 2 == 1;
    case CrushAnchor::mean:
      break;
  }
  const auto ones = std::count_if(blocks.begin(), blocks.end(), [&](std::uint32_t block) {
    return bits::test(marked, std::size_t{block} * block_size + slot);
  });
  return 2 * static_cast<std::size_t>(ones) > blocks.size();
}

}  // namespace

void open_representatives(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                          const CrushRule& rule, std::size_t count, std::span<std::uint64_t> open,
                          SelectionScratch& scratch) {
  if (tokens.slots.empty() || bits::count(open) >= count) return;
  const std::uint32_t size = tokens.block_size;
  const std::size_t all = table_blocks(tokens.slots, size);
  scratch.marks.assign(bits::words(all * size), 0);
  mark_upper_half(tokens, apart, scratch.marks, scratch.order);

  std::vector<std::uint32_t>&blocks = scratch.order, &distance = scratch.draws;
  list_closed_blocks(tokens.slots, size, apart, blocks);
  distance.assign(all, 0);
  for (std::uint32_t slot = 0; slot < size; ++slot) {
    const bool bit = anchor_bit(rule, slot, size, blocks, scratch.marks);
    for (const std::uint32_t block : blocks)
      distance[block] += bits::test(scratch.marks, std::size_t{block} * size + slot) != bit;
  }

  std::erase_if(blocks, [&](std::uint32_t block) { return bits::test(open, block); });
  std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  });
  const std::size_t opened = std::min(count - bits::count(open), blocks.size());
  for (std::size_t i = 0; i < opened; ++i)
    bits::set(open, blocks[i * (blocks.size() / opened)]);
}

}  // namespace vacancy
