// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/units/bit_mask.hpp"

namespace vacancy {

/// A policy's decision: per policy set, which of its live tokens stay. Bit i of a set's mask speaks
/// for the i-th live token in ascending position. Reused from round to round without allocation.
class KeepSets {
 public:
  /// Starts a round of `sets` sets.
  void reset(std::size_t sets) {
    sets_.resize(sets);
    words_.clear();
  }

  /// Starts set `set` (in ascending order) with `live` tokens, none of them kept yet.
  std::span<std::uint64_t> begin(std::size_t set, std::uint32_t live) {
    sets_[set] = {words_.size(), live};
    words_.resize(words_.size() + bits::words(live), 0);
    return mask(set);
  }

  std::size_t size() const { return sets_.size(); }
  std::uint32_t live(std::size_t set) const { return sets_[set].live; }
  std::span<std::uint64_t> mask(std::size_t set) {
    return std::span(words_).subspan(sets_[set].first_word, bits::words(sets_[set].live));
  }
  std::span<const std::uint64_t> mask(std::size_t set) const {
    return std::span(words_).subspan(sets_[set].first_word, bits::words(sets_[set].live));
  }

 private:
  struct Set {
    std::size_t first_word = 0;
    std::uint32_t live = 0;
  };
  std::vector<Set> sets_;
  std::vector<std::uint64_t> words_;
};

}  // namespace vacancy
