// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "sim/units/philox.hpp"
#include "tests/support/simd.hpp"

using namespace vacancy;

// Known answers of the authors' Random123 library, kat_vectors, philox4x32 10 rounds.
TEST_CASE("philox4x32-10 gives the published known answers") {
  CHECK(philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
        PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a batch of draws equals single draws with every instruction set, length and token") {
  for (std::size_t n : {0u, 1u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 31u, 64u, 1000u}) {
    std::vector<std::uint32_t> tokens(n), expected(n);
    const auto key = philox_key(0x123456789abcdef0);
    for (std::size_t i = 0; i < n; ++i) {
      tokens[i] = static_cast<std::uint32_t>(i * 2654435761u);
      expected[i] = philox4x32_10({7, 11, 13, tokens[i]}, key)[0];
    }
    test::for_each_simd([&](Simd simd) {
      INFO("n " << n);
      std::vector<std::uint32_t> out(n);
      philox_draws(key, 7, 11, 13, tokens, out, simd);
      CHECK(out == expected);
    });
  }
}
