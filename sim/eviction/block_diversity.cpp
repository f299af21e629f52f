// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/block_diversity.hpp"

#include <algorithm>
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
  blocks.clear();
  for (const std::uint32_t slot : slots)
    if (!bits::test(open, slot / block_size)) blocks.push_back(slot / block_size);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return value[a] > value[b]; });
  for (const std::uint32_t block : blocks) {
    if (!go_on(block)) break;
    bits::set(open, block);
  }
}

std::size_t blocks_of(std::span<const std::uint32_t> slots, std::uint32_t block_size) {
  return *std::max_element(slots.begin(), slots.end()) / block_size + 1;
}

}  // namespace

void open_until_share(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                      double share, std::size_t count, std::span<std::uint64_t> open,
                      SelectionScratch& scratch) {
  if (tokens.slots.empty()) return;
  std::vector<double>& worth = scratch.parts;
  worth.assign(blocks_of(tokens.slots, tokens.block_size), 0.0);
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
  const std::size_t dim = round.attention->shape().head_dim;
  std::vector<std::uint32_t>& taking_part = scratch.order;
  taking_part.clear();
  for (std::uint32_t i = 0; i < round.live.size(); ++i)
    if (!bits::test(apart, block_of(i))) taking_part.push_back(i);
  const std::size_t tokens = taking_part.size();

  std::vector<double>& diversity = scratch.parts;
  diversity.assign(blocks_of(round.slots, round.block_size), 0.0);
  scratch.rows.resize(round.live.size() * dim);
  scratch.spare.resize(tokens);
  const auto unit = [&](std::size_t i) { return std::span(scratch.rows).subspan(i * dim, dim); };
  const std::span<double> cosine = scratch.spare;
  const HeadRange heads = round.heads();
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head) {
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        const double norm =
            std::sqrt(l2_norm(key) * l2_norm(key) + double{std::numeric_limits<float>::epsilon()});
        std::transform(key.begin(), key.end(), unit(i).begin(),
                       [&](float x) { return static_cast<float>(double{x} / norm); });
      });
      for (const std::uint32_t token : taking_part) {
        if (bits::test(open, block_of(token))) continue;
        double sum = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
          double dot = 0;
          for (std::size_t c = 0; c < dim; ++c)
            dot += double{unit(token)[c]} * double{unit(taking_part[j])[c]};
          cosine[j] = taking_part[j] == token ? 0 : dot;
          sum += cosine[j];
        }
        const double mean = sum / static_cast<double>(tokens);
        for (std::size_t j = 0; j < tokens; ++j)
          if (cosine[j] >= mean && !bits::test(open, block_of(taking_part[j])))
            diversity[block_of(token)] -= cosine[j];
      }
    }
  open_in_order(round.slots, round.block_size, diversity, scratch.order, open,
                [&](std::uint32_t) { return opened++ < count; });
}

}  // namespace vacancy
