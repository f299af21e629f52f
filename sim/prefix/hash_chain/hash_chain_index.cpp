// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/hash_chain/hash_chain_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

std::uint64_t HashChainIndex::hash(const ContentId& id) {
  // Two odd multipliers, then the high half folded down: neighbours in key and index spread.
  const std::uint64_t place = (std::uint64_t{id.space} << 32) | id.index;
  std::uint64_t h = id.key * 0x9E3779B97F4A7C15u + place * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  return h ^ (h >> 32);
}

void HashChainIndex::reserve(std::uint32_t blocks) {
  if (blocks <= blocks_.size()) return;
  blocks_.resize(std::max<std::size_t>(blocks, 2 * blocks_.size()));
  std::vector<Place> old = std::exchange(table_, {});
  table_.resize(std::bit_ceil(2 * blocks_.size()));
  mask_ = table_.size() - 1;
  for (const Place& place : old)
    if (place.first != none) table_[position(place.id)] = place;
}

void HashChainIndex::insert(BlockId block, const ContentId& id) {
  reserve(block.value() + 1);
  Block& b = blocks_[block.value()];
  VACANCY_ASSERT(!b.present, "a block has one content at a time");
  Place& place = table_[position(id)];
  if (place.first == none) {
    place.id = id;
    place.first = block.value();
  } else {
    blocks_[place.last].next = block.value();
  }
  b = {id, std::exchange(place.last, block.value()), none, true};
  ++size_;
}

void HashChainIndex::forget(BlockId block) {
  VACANCY_ASSERT(contains(block), "only blocks in the index are forgotten");
  Block& b = blocks_[block.value()];
  b.present = false;
  --size_;
  if (b.previous != none && b.next != none) {
    blocks_[b.previous].next = b.next;
    blocks_[b.next].previous = b.previous;
    return;
  }
  const std::size_t place = position(b.id);
  if (b.previous != none) {
    blocks_[b.previous].next = none;
    table_[place].last = b.previous;
  } else if (b.next != none) {
    blocks_[b.next].previous = none;
    table_[place].first = b.next;
  } else {
    vacate(place);
  }
}

void HashChainIndex::vacate(std::size_t place) {
  // Later places of the run move back, unless that would put them before their home.
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask_; table_[next].first != none;
       next = (next + 1) & mask_) {
    const std::size_t from_home = (next - home(table_[next].id)) & mask_;
    if (from_home < ((next - hole) & mask_)) continue;
    table_[hole] = table_[next];
    hole = next;
  }
  table_[hole] = Place{};
}

}  // namespace vacancy
