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
    if (place.first != none) table_[position(blocks_[place.first].id, place.tag)] = place;
}

void HashChainIndex::insert(BlockId block, const ContentId& id) {
  reserve(block.value() + 1);
  Block& b = blocks_[block.value()];
  VACANCY_ASSERT(!b.present, "a block has one content at a time");
  const std::uint32_t id_tag = tag(id);
  Place& place = table_[position(id, id_tag)];
  if (place.first == none) {
    place = {id_tag, block.value()};
    b = {id, none, none, block.value(), true};
  } else {
    std::uint32_t& last = blocks_[place.first].last;
    blocks_[last].next = block.value();
    b = {id, last, none, none, true};
    last = block.value();
  }
  ++size_;
}

void HashChainIndex::insert(std::span<const BlockId> blocks, std::span<const ContentId> ids) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i + ahead < blocks.size() && !table_.empty()) fetch(tag(ids[i + ahead]));
    insert(blocks[i], ids[i]);
  }
}

void HashChainIndex::forget(std::span<const BlockId> blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i + ahead < blocks.size()) fetch(tag(blocks_[blocks[i + ahead].value()].id));
    forget(blocks[i]);
  }
}

void HashChainIndex::forget(BlockId block) {
  VACANCY_ASSERT(contains(block), "only blocks in the index are forgotten");
  Block& b = blocks_[block.value()];
  b.present = false;
  --size_;
  if (b.previous == none) {
    const std::size_t place = place_of_first(block);
    if (b.next == none) {
      vacate(place);
    } else {
      table_[place].first = b.next;
      blocks_[b.next].previous = none;
      blocks_[b.next].last = b.last;
    }
    return;
  }
  blocks_[b.previous].next = b.next;
  if (b.next != none)
    blocks_[b.next].previous = b.previous;
  else
    blocks_[table_[position(b.id, tag(b.id))].first].last = b.previous;
}

std::size_t HashChainIndex::place_of_first(BlockId block) const {
  std::size_t place = home(tag(blocks_[block.value()].id));
  while (table_[place].first != block.value())
    place = (place + 1) & mask_;
  return place;
}

void HashChainIndex::vacate(std::size_t place) {
  // Later places of the run move back, unless that would put them before their home.
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask_; table_[next].first != none;
       next = (next + 1) & mask_) {
    const std::size_t from_home = (next - home(table_[next].tag)) & mask_;
    if (from_home < ((next - hole) & mask_)) continue;
    table_[hole] = table_[next];
    hole = next;
  }
  table_[hole] = Place{};
}

}  // namespace vacancy
