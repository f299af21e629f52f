// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/prefix/reuse_tree/memory_split.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;

TEST_CASE("T2: memory is split in proportion to window times bytes a token") {
  // Weights 1024·1, 2048·2, 4096·3 of 17,408: one, two and three layers of a byte a token.
  const std::vector<WindowMemory> windows{{1024, Bytes(1)}, {2048, Bytes(2)}, {4096, Bytes(3)}};
  const auto split =
      split_memory(windows, Bytes(17'408 * 64), Bytes(17'408), 16, MemoryShare::window_bytes);
  CHECK(split == std::vector<PoolBlocks>{
                     {1024 * 64 / 16, 64}, {2048 * 64 / 16, 128}, {4096 * 64 / 16, 256}});
}

TEST_CASE("T2: equal shares, as the engine gives at this commit unless told otherwise") {
  const std::vector<WindowMemory> windows{{512, Bytes(8)}, {32'768, Bytes(16)}};
  CHECK(split_memory(windows, Bytes(2 * 8 * 16 * 100), Bytes(0), 16, MemoryShare::equal) ==
        std::vector<PoolBlocks>{{100, 0}, {50, 0}});
}

TEST_CASE("T2: a part block counts on the device and is dropped on the host") {
  const std::vector<WindowMemory> windows{{128, Bytes(10)}};
  CHECK(split_memory(windows, Bytes(10 * 33), Bytes(10 * 33), 16, MemoryShare::window_bytes) ==
        std::vector<PoolBlocks>{{3, 2}});
}

TEST_CASE("T2: a window without a device block, and pools too large for ids, are refused") {
  const std::vector<WindowMemory> windows{{1, Bytes(100)}, {100'000, Bytes(100)}};
  CHECK_THROWS_WITH(split_memory(windows, Bytes(10'000), Bytes(0), 16, MemoryShare::window_bytes),
                    Catch::Contains("window 1:") && Catch::Contains("more device memory"));
  const std::vector<WindowMemory> tiny{{128, Bytes(1)}};
  CHECK_THROWS_AS(
      split_memory(tiny, Bytes(std::uint64_t{1} << 62), Bytes(0), 1, MemoryShare::equal),
      UserError);
}
