// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "sim/units/bit_mask.hpp"
#include "sim/units/marked.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/simd.hpp"

using namespace vacancy;

namespace {

using Values = std::vector<std::uint32_t>;
using Mask = std::vector<std::uint64_t>;

std::uint32_t draw(std::size_t i, std::uint32_t salt) {
  return philox4x32_10({static_cast<std::uint32_t>(i), salt, 0, 0}, {3, 3})[0];
}

Values draws(std::size_t size) {
  Values values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = draw(i, 1);
  return values;
}

/// Each of `size` bits is set with a probability of `percent`.
Mask random_mask(std::size_t size, std::uint32_t percent, std::uint32_t salt) {
  Mask mask(bits::words(size), 0);
  for (std::size_t i = 0; i < size; ++i)
    if (draw(i, salt) % 100 < percent) bits::set(mask, i);
  return mask;
}

constexpr std::size_t sizes[] = {0, 1, 15, 16, 17, 63, 64, 65, 80, 127, 128, 1000, 2176};

}  // namespace

TEST_CASE("mark_above: one bit a value above the bound, whatever the instructions") {
  for (const std::size_t size : sizes) {
    Values values = draws(size);
    if (size > 2) values[size / 2] = 0, values[size - 1] = 0xFFFFFFFF;
    const Mask except = random_mask(size, 20, 2);
    for (const std::uint32_t bound :
         {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, 0xFFFFFFFFu, size == 0 ? 5 : values[0]}) {
      Mask expected(bits::words(size), 0);
      for (std::size_t i = 0; i < size; ++i)
        if (values[i] > bound && !bits::test(except, i)) bits::set(expected, i);
      test::for_each_simd([&](Simd simd) {
        INFO("size " << size << ", bound " << bound);
        Mask marks(bits::words(size), ~std::uint64_t{0});
        CHECK(mark_above(values, bound, except, marks, simd) == bits::count(expected));
        CHECK(marks == expected);
      });
    }
  }
}

TEST_CASE("close_ranks: marked values in order behind those that stay, whatever the instructions") {
  for (const std::size_t size : sizes) {
    for (const std::size_t first : {std::size_t{0}, size / 3, size - size % 16, size}) {
      for (const std::uint32_t percent : {0u, 6u, 50u, 94u, 100u}) {
        const Values values = draws(size);
        const Mask marks = random_mask(size, percent, 7);
        Values expected(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
        bits::for_each(marks, first, size, [&](std::size_t i) { expected.push_back(values[i]); });
        test::for_each_simd([&](Simd simd) {
          INFO("size " << size << ", first " << first << ", percent " << percent);
          Values closed = values;
          REQUIRE(close_ranks(closed, marks, first, simd) == expected.size());
          closed.resize(expected.size());
          CHECK(closed == expected);
        });
      }
    }
  }
}
