// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/eviction/block_choice.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/philox.hpp"

namespace vacancy {

/// The bit pattern that KVCrush holds blocks against.
enum class CrushAnchor { random, zeros, ones, mean, alternate };

template <>
struct EnumNames<CrushAnchor> {
  static constexpr EnumName<CrushAnchor> table[] = {{CrushAnchor::random, "random"},
                                                    {CrushAnchor::zeros, "zeros"},
                                                    {CrushAnchor::ones, "ones"},
                                                    {CrushAnchor::mean, "mean"},
                                                    {CrushAnchor::alternate, "alternate"}};
};

struct CrushRule {
  CrushAnchor anchor = CrushAnchor::random;
  /// Of a random anchor: bit `slot` is the first of Philox (key, counter with `slot` as last word).
  PhiloxKey key{};
  PhiloxCounter counter{};
};

/// KVCrush (arXiv 2503.00022) as OpenVINO GenAI has it (kvcrush.cpp): opens blocks that stand for
/// all that are closed, until `count` are open in all. A token's bit is 1 if its weight is in the
/// upper half of those in blocks that are not `apart`; slots without a token are 0. A block's bits
/// by slot are its pattern. Of n closed blocks, in the order of their Hamming distance to the
/// anchor, every floor(n / opened)-th is opened, the nearest first. Blocks that are `apart` are
/// open. Takes `marks`, `order` and `draws` of the scratch.
void open_representatives(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                          const CrushRule& rule, std::size_t count, std::span<std::uint64_t> open,
                          SelectionScratch& scratch);

}  // namespace vacancy
