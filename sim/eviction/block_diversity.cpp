// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/block_diversity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/eviction/live_vectors.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

/// Opens closed blocks with tokens, the largest value first, while `go_on(block)`.
template <class GoOn>
void open_in_order(std::span<const std::uint32_t> slots, std::uint32_t block_size,
                   std::span<const double> value, std::vector<std::uint32_t>& blocks,
                   std::span<std::uint64_t> open, GoOn&& go_on) {
  list_closed_blocks(slots, block_size, open, blocks);
  std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
    return value[a] != value[b] ? value[a] > value[b] : a < b;
  });
  for (const std::uint32_t block : blocks) {
    if (!go_on(block)) break;
    bits::set(open, block);
  }
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    sum += double{a[c]} * double{b[c]};
  return sum;
}

/// Subtracts from diversity[i] how alike one head finds the key of closed token i to the others.
/// `keys` are the closed tokens' unit vectors, `mean(key)` a key's mean cosine to all that take
/// part.
template <class Mean>
void subtract_likeness(std::span<const float> keys, std::size_t dim, Mean&& mean,
                       std::span<double> diversity) {
  for (std::size_t i = 0; i < diversity.size(); ++i) {
    const auto key = keys.subspan(i * dim, dim);
    const double least = mean(key);
    for (std::size_t j = 0; j < diversity.size(); ++j) {
      const double cosine = i == j ? 0.0 : dot(key, keys.subspan(j * dim, dim));
      if (cosine >= least) diversity[i] -= cosine;
    }
  }
}

}  // namespace

void open_until_share(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                      double share, std::size_t count, std::span<std::uint64_t> open,
                      SelectionScratch& scratch) {
  if (tokens.slots.empty()) return;
  std::vector<double>& worth = scratch.parts;
  worth.assign(table_blocks(tokens.slots, tokens.block_size), 0.0);
  double all = 0, held = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (bits::test(apart, tokens.block_of(i))) continue;
    worth[tokens.block_of(i)] += tokens.weights[i];
    all += tokens.weights[i];
  }
  std::size_t opened = bits::count(open);
  open_in_order(tokens.slots, tokens.block_size, worth, scratch.order, open,
                [&](std::uint32_t block) {
                  if (held >= share * all || opened >= count) return false;
                  held += worth[block];
                  ++opened;
                  return true;
                });
}

void open_most_diverse(const EvictionRound& round, std::span<const std::uint64_t> apart,
                       std::size_t count, std::span<std::uint64_t> open,
                       SelectionScratch& scratch) {
  std::size_t opened = bits::count(open);
  if (round.slots.empty() || opened >= count) return;
  const auto block_of = [&](std::size_t i) { return round.slots[i] / round.block_size; };
  const auto closed = [&](std::size_t i) { return !bits::test(open, block_of(i)); };
  std::size_t closed_tokens = 0;
  for (std::size_t i = 0; i < round.live.size(); ++i)
    closed_tokens += closed(i);

  const std::size_t dim = round.attention->shape().head_dim;
  const std::size_t blocks = table_blocks(round.slots, round.block_size);
  scratch.rows.resize(closed_tokens * dim);
  scratch.parts.assign(blocks + closed_tokens + dim, 0.0);
  const auto of_blocks = std::span(scratch.parts).first(blocks);
  const auto of_tokens = std::span(scratch.parts).subspan(blocks, closed_tokens);
  const auto sum = std::span(scratch.parts).last(dim);  // of the unit vectors that take part
  for (std::uint32_t layer = round.heads().first_layer; layer < round.heads().last_layer; ++layer)
    for (std::uint32_t head = 0; head < round.layout->kv_heads(); ++head) {
      std::fill(sum.begin(), sum.end(), 0.0);
      std::size_t taking_part = 0, rows = 0;
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        if (bits::test(apart, block_of(i))) return;
        const double norm = std::sqrt(dot(key, key) + std::numeric_limits<float>::epsilon());
        for (std::size_t c = 0; c < dim; ++c) {
          const auto x = static_cast<float>(double{key[c]} / norm);
          sum[c] += double{x};
          if (closed(i)) scratch.rows[rows * dim + c] = x;
        }
        rows += closed(i);
        ++taking_part;
      });
      const auto mean = [&](std::span<const float> key) {
        double cosines = -dot(key, key);
        for (std::size_t c = 0; c < dim; ++c)
          cosines += double{key[c]} * sum[c];
        return cosines / static_cast<double>(taking_part);
      };
      subtract_likeness(scratch.rows, dim, mean, of_tokens);
    }
  for (std::size_t i = 0, row = 0; i < round.live.size(); ++i)
    if (closed(i)) of_blocks[block_of(i)] += of_tokens[row++];
  open_in_order(round.slots, round.block_size, of_blocks, scratch.order, open,
                [&](std::uint32_t) { return opened++ < count; });
}

}  // namespace vacancy
