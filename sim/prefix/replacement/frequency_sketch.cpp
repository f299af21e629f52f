// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/frequency_sketch.hpp"

#include <algorithm>
#include <bit>

namespace vacancy {

namespace {

// Odd multipliers of multiply-shift hashing (Dietzfelbinger et al., J. Algorithms 25, 1997): the
// first words of SplitMix64 from 0, made odd.
constexpr std::uint64_t multipliers[] = {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F5, 0x06C45D188009454F,
                                         0xF88BB8A8724C81ED};

}  // namespace

FrequencySketch::FrequencySketch(std::uint64_t width, std::uint64_t sample)
    : bits_(static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(width, 16) - 1))),
      counters_(rows * (std::size_t{1} << bits_), 0),
      sample_(sample) {}

std::size_t FrequencySketch::cell(std::uint32_t row, ContentIndex content) const {
  const std::uint64_t hash = content.value() * multipliers[row];
  return (std::size_t{row} << bits_) + static_cast<std::size_t>(hash >> (64 - bits_));
}

void FrequencySketch::add(ContentIndex content) {
  if (content == no_content) return;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::uint8_t& counter = counters_[cell(row, content)];
    counter = static_cast<std::uint8_t>(counter + (counter < most ? 1 : 0));
  }
  if (++uses_ == sample_) halve();
}

std::uint32_t FrequencySketch::estimate(ContentIndex content) const {
  if (content == no_content) return 0;
  std::uint8_t least = most;
  for (std::uint32_t row = 0; row < rows; ++row)
    least = std::min(least, counters_[cell(row, content)]);
  return least;
}

void FrequencySketch::halve() {
  for (std::uint8_t& counter : counters_)
    counter = static_cast<std::uint8_t>(counter / 2);
  uses_ /= 2;
}

}  // namespace vacancy
