// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "sim/prefix/radix/leaf_heap.hpp"

using namespace vacancy;

TEST_CASE("the heap's top is the least key whatever joins, leaves and changes") {
  std::mt19937 random(11);
  LeafHeap heap;
  std::map<std::uint32_t, EvictionKey> plain;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const auto node = static_cast<std::uint32_t>(random() % 200);
    if (random() % 3 == 0 && plain.contains(node)) {
      heap.erase(RadixNodeId(node));
      plain.erase(node);
    } else {
      const EvictionKey key{static_cast<std::int64_t>(random() % 50) - 25, random() % 4, step};
      heap.set(RadixNodeId(node), key);
      plain[node] = key;
    }
    REQUIRE(heap.size() == plain.size());
    REQUIRE(heap.contains(RadixNodeId(node)) == plain.contains(node));
    if (plain.empty()) continue;
    const auto least =
        std::min_element(plain.begin(), plain.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    REQUIRE(heap.top() == RadixNodeId(least->first));
  }
}
