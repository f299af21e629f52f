// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// Estimates how often contents were used of late: a count-min sketch of four rows whose counters
/// stop at 15 and are halved after every `sample` uses (Cormode, Muthukrishnan, J. Algorithms 55,
/// 2005; Einziger, Friedman, Manes, ACM TOS 13(4), 2017, section 3).
class FrequencySketch {
 public:
  /// Each row has at least `width` counters, rounded up to a power of two.
  FrequencySketch(std::uint64_t width, std::uint64_t sample);

  void add(ContentIndex content);
  /// Never less than the content's uses since the last halving, up to 15; 0 for an unknown content.
  std::uint32_t estimate(ContentIndex content) const;

 private:
  static constexpr std::uint32_t rows = 4;
  static constexpr std::uint8_t most = 15;

  std::size_t cell(std::uint32_t row, ContentIndex content) const;
  void halve();

  unsigned bits_;  // of an index into a row
  std::vector<std::uint8_t> counters_;
  std::uint64_t sample_, uses_ = 0;
};

}  // namespace vacancy
