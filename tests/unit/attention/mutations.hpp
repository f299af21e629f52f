// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// Feeds damaged copies of `file` to `read`: every truncation of its first 256 bytes and some
/// later ones, then `rounds` copies with one to four bytes or words overwritten. Whatever comes,
/// the reader must return or throw UserError; anything else escapes and fails the test. Returns
/// how many copies were refused.
template <class Read>
int read_damaged(const std::vector<std::byte>& file, int rounds, Read read) {
  int refused = 0;
  const auto attempt = [&](const std::vector<std::byte>& bytes) {
    try {
      read(bytes);
    } catch (const UserError&) {
      ++refused;
    }
  };
  for (std::size_t length = 0; length < file.size();
       length += length < 256 ? 1 : 1 + file.size() / 64)
    attempt({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)});

  constexpr std::array<std::uint32_t, 8> words{0,          1,          0x7FFFFFFF, 0x80000000,
                                               0xFFFFFFFF, 0x7FC00000, 0x00010000, 0xFFFFFFFE};
  for (int round = 0; round < rounds; ++round) {
    auto damaged = file;
    const auto count = philox4x32_10({static_cast<std::uint32_t>(round), 0, 0, 0}, {1, 2})[0] % 4;
    for (std::uint32_t i = 0; i <= count; ++i) {
      const auto draw = philox4x32_10({static_cast<std::uint32_t>(round), 1, i, 0}, {1, 2});
      // Headers are small and matter most: half of the damage goes there.
      const std::size_t range =
          draw[0] % 2 == 0 ? std::min<std::size_t>(file.size(), 96) : file.size();
      const std::size_t at = draw[1] % range;
      if (draw[2] % 2 == 0 || at + 4 > damaged.size())
        damaged[at] = static_cast<std::byte>(draw[3]);
      else
        std::memcpy(&damaged[at], &words[draw[3] % words.size()], 4);
    }
    attempt(damaged);
  }
  return refused;
}

}  // namespace vacancy::test
