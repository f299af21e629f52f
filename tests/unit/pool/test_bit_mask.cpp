// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "sim/units/bit_mask.hpp"

using namespace vacancy;

TEST_CASE("ranges of bits agree with single bits across word borders") {
  const std::size_t size = 200;
  for (const std::size_t first : {0u, 1u, 63u, 64u, 65u, 127u, 130u}) {
    for (const std::size_t last : {0u, 1u, 63u, 64u, 65u, 128u, 199u, 200u}) {
      if (last < first) continue;
      INFO("[" << first << ", " << last << ")");
      std::vector<std::uint64_t> mask(bits::words(size), 0);
      bits::set_range(mask, first, last);
      for (std::size_t i = 0; i < size; ++i)
        CHECK(bits::test(mask, i) == (i >= first && i < last));
      CHECK(bits::count(mask) == last - first);
      CHECK(bits::count_range(mask, 10, 140) ==
            std::max<std::size_t>(std::min<std::size_t>(last, 140), 10) -
                std::max<std::size_t>(std::min<std::size_t>(first, 140), 10));
      std::vector<std::size_t> seen;
      bits::for_each(mask, 0, size, [&](std::size_t i) { seen.push_back(i); });
      REQUIRE(seen.size() == last - first);
      for (std::size_t i = 0; i < seen.size(); ++i)
        CHECK(seen[i] == first + i);
      bits::clear_from(mask, (first + last) / 2);
      CHECK(bits::count(mask) == (first + last) / 2 - first);
    }
  }
}
