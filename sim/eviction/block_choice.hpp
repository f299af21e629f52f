// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"

namespace vacancy {

// Which blocks of a table stay, and which of its tokens: the algorithms of spec block_aware §3.
// Weights are worth, the larger the dearer; ties fall to the lower block and the lower token. Masks
// of tokens speak of live tokens by ordinal, masks of blocks of logical blocks. Nothing is
// allocated once the scratch has grown.

/// The live tokens of a keep set where they stand.
struct WeighedTokens {
  std::span<const double> weights;       // numbers; of guarded tokens only `swap_tokens` reads them
  std::span<const std::uint32_t> slots;  // slot / block_size is the block
  std::span<const std::uint64_t> guarded;
  std::uint32_t block_size = 0;

  std::uint32_t block_of(std::size_t token) const { return slots[token] / block_size; }
  std::size_t size() const { return weights.size(); }
};

/// Logical blocks up to the last that has one of the slots; at least one slot.
std::size_t table_blocks(std::span<const std::uint32_t> slots, std::uint32_t block_size);

/// The blocks that have one of the slots and are not open, ascending.
void list_closed_blocks(std::span<const std::uint32_t> slots, std::uint32_t block_size,
                        std::span<const std::uint64_t> open, std::vector<std::uint32_t>& blocks);

/// A1. Opens blocks with live tokens, the best first, until `count` are open; those that are open
/// on entry count.
void open_best_blocks(const WeighedTokens& tokens, BlockValue value, std::size_t count,
                      std::span<std::uint64_t> open, SelectionScratch& scratch);

/// Keeps all tokens of open blocks (P1, P8: an evicted token in a held block costs no memory).
void keep_open_blocks(const WeighedTokens& tokens, std::span<const std::uint64_t> open,
                      std::span<std::uint64_t> kept);

/// A3. The best tokens that are not kept change places with the worst unguarded ones that are, as
/// long as each gains: until `most` have, or until the kept tokens have `floor` of all weight.
/// Returns how many did. With `most` unlimited the heaviest tokens stay (P6).
std::uint32_t swap_tokens(const WeighedTokens& tokens, std::uint32_t most, double floor,
                          std::span<std::uint64_t> kept, SelectionScratch& scratch);

/// The prices of A4: a block pays for being open, a token for being kept.
struct TwoPrices {
  double block = 0, token = 0;  // L, mu
};

/// A4 at given prices: opens a block if its tokens are worth more than the block's price beyond
/// their own, and keeps tokens of open blocks that are worth more than theirs. What is open on
/// entry stays open, guarded tokens and their blocks stay. Returns how many tokens it keeps.
std::size_t keep_at_prices(const WeighedTokens& tokens, TwoPrices prices,
                           std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                           SelectionScratch& scratch);

/// A4 with a price for a block and at most `keep` tokens: the token's price is searched, and the
/// best other tokens of open blocks make up the number. `kept` is all zero on entry. At most 62
/// passes over the tokens.
void keep_at_block_price(const WeighedTokens& tokens, double block_price, std::size_t keep,
                         std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                         SelectionScratch& scratch);

/// A4 with at most `most_blocks` blocks, unless more are open on entry, and at most `keep` tokens:
/// both prices are searched, one inside the other: at most 41 × 62 passes over the tokens. Prices
/// do not reach each pair of numbers; most_weight_of_tokens() of block_oracle.hpp is exact, and
/// slower still.
void keep_in_blocks(const WeighedTokens& tokens, std::size_t most_blocks, std::size_t keep,
                    std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                    SelectionScratch& scratch);

}  // namespace vacancy
