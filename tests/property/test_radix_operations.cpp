// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/radix_use.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t combinations = 7 * 3 * 2 * 2;

/// Every policy with page sizes 1, 4 and 16, both allocators and both ways to give back.
RadixUseOptions combination(std::uint32_t index) {
  RadixUseOptions options;
  options.cache.policy = static_cast<RadixPolicy>(index % 7);
  options.cache.page_size = std::array{1u, 4u, 16u}[index / 7 % 3];
  options.cache.evict_shortfall_only = index % 2 == 0;
  options.paged = index / 21 % 2 == 1;
  options.need_sort = index / 42 % 2 == 1;
  options.slots = std::max(96u, 24 * options.cache.page_size) * (1 + index % 3);
  return options;
}

void stress(std::uint32_t index, std::uint32_t steps) {
  RadixUse use(combination(index), index);
  for (std::uint32_t i = 0; i < steps; ++i) {
    use.step();
    const auto fault = use.fault();
    if (!fault) continue;
    FAIL("combination " << index << ", step " << i << ": " << *fault);
  }
  use.cache().tree().check_invariants();
  use.release();
  CHECK(use.cache().tree().protected_tokens() == 0);
  use.cache().evict(use.cache().tree().evictable_tokens());
  CHECK(use.cache().tree().size() == 0);
  CHECK(use.cache().allocator().available() == use.cache().allocator().slots());
}

using NodeFacts = std::tuple<std::vector<std::uint32_t>, NamespaceId, std::uint32_t, std::uint32_t,
                             std::int32_t, std::uint64_t, std::uint64_t>;

void collect(const RadixTree& tree, RadixNodeId id, std::vector<NodeFacts>& facts) {
  const RadixNode& node = tree.node(id);
  facts.emplace_back(flat(node.slots), node.name_space, node.lock_ref, node.hit_count,
                     node.priority, node.access, node.created);
  for (const RadixNodeId child : children(tree, id))
    collect(tree, child, facts);
}

/// All that can be seen of a cache except how its tokens are written down.
auto facts(const RadixCache& cache) {
  std::vector<NodeFacts> nodes;
  collect(cache.tree(), RadixTree::root(), nodes);
  return std::tuple(std::move(nodes), flat(cache.allocator().free_list()),
                    flat(cache.allocator().release_list()));
}

/// The slots that evict(tokens) gives back, in that order: by S7 and S8 read literally, looking at
/// every node for every victim.
std::vector<std::uint32_t> plain_eviction(const RadixTree& tree, std::uint64_t tokens) {
  std::vector<RadixNodeId> nodes = {RadixTree::root()};
  std::map<RadixNodeId, std::size_t> child_count;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto below = children(tree, nodes[i]);
    child_count[nodes[i]] = below.size();
    nodes.insert(nodes.end(), below.begin(), below.end());
  }
  nodes.erase(nodes.begin());
  const auto before = [&](RadixNodeId left, RadixNodeId right) {
    const RadixNode &a = tree.node(left), &b = tree.node(right);
    const bool a_hot = a.hit_count >= 2, b_hot = b.hit_count >= 2;
    switch (tree.policy()) {
      case RadixPolicy::lru:
        return a.access < b.access;
      case RadixPolicy::lfu:
        return std::tie(a.hit_count, a.access) < std::tie(b.hit_count, b.access);
      case RadixPolicy::fifo:
        return a.created < b.created;
      case RadixPolicy::slru:
        return std::tie(a_hot, a.access) < std::tie(b_hot, b.access);
      case RadixPolicy::priority:
        return std::tie(a.priority, a.access) < std::tie(b.priority, b.access);
      case RadixPolicy::mru:
        return a.access > b.access;
      case RadixPolicy::filo:
        return a.created > b.created;
    }
    return false;
  };
  std::vector<std::uint32_t> slots;
  while (slots.size() < tokens) {
    auto victim = nodes.end();
    for (auto at = nodes.begin(); at != nodes.end(); ++at)
      if (child_count[*at] == 0 && tree.node(*at).lock_ref == 0 &&
          (victim == nodes.end() || before(*at, *victim)))
        victim = at;
    if (victim == nodes.end()) break;
    const auto gone = flat(tree.node(*victim).slots);
    slots.insert(slots.end(), gone.begin(), gone.end());
    --child_count[tree.node(*victim).parent];
    nodes.erase(victim);
  }
  return slots;
}

}  // namespace

TEST_CASE("random use of a radix cache: every slot once, every lock known", "[property]") {
  const auto index = GENERATE(range(0u, combinations));
  stress(index, scaled(1200));
}

TEST_CASE("a million random operations keep the books", "[.][million]") {
  const auto index = GENERATE(range(0u, combinations));
  stress(index, 1'000'000 / combinations + 1);
}

TEST_CASE("runs of contents and single tokens give the same tree and slots", "[property]") {
  const auto index = GENERATE(range(0u, combinations));
  INFO("combination " << index);
  RadixUseOptions options = combination(index);
  RadixUse runs(options, index + 1000);
  options.spelled_out = true;
  RadixUse tokens(options, index + 1000);
  for (std::uint32_t i = 0; i < 300; ++i) {
    REQUIRE(runs.step() == tokens.step());
    REQUIRE(facts(runs.cache()) == facts(tokens.cache()));
  }
}

TEST_CASE("S7, S8: eviction takes what a search through all nodes would take", "[property]") {
  const auto policy = GENERATE(range(0u, 7u));
  INFO("policy " << radix_policy_names[policy]);
  RadixUseOptions options;
  options.cache.policy = static_cast<RadixPolicy>(policy);
  options.slots = 600;
  RadixUse use(options, policy);
  std::mt19937 random(policy);
  std::size_t evicted = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    use.step();
    if (i % 3 != 0) continue;
    const std::uint64_t tokens = random() % 40;
    auto expected = flat(use.cache().allocator().free_list());
    const auto gone = plain_eviction(use.cache().tree(), tokens);
    expected.insert(expected.end(), gone.begin(), gone.end());
    REQUIRE(use.cache().evict(tokens) == gone.size());
    REQUIRE(flat(use.cache().allocator().free_list()) == expected);
    evicted += gone.size();
  }
  CHECK(evicted > 1000);
}

TEST_CASE("the census sees injected faults", "[property]") {
  const auto paged = GENERATE(false, true);
  RadixUseOptions options = combination(paged ? 28 : 7);
  REQUIRE(options.paged == paged);
  RadixUse use(options, 5);
  while (use.cache().tree().size() < 3 || use.holders().requests.size() < 2)
    use.step();
  REQUIRE(use.fault() == std::nullopt);
  RadixCache& cache = use.cache();
  const RadixNodeId node = children(cache.tree(), RadixTree::root()).front();

  SECTION("slots of a node are given back") {
    cache.allocator().give_back(cache.tree().node(node).slots);
  }
  SECTION("slots are taken and kept by nobody") {
    cache.evict(options.slots);
    SlotRuns nobody;
    REQUIRE(cache.allocator().take(1, nobody));
  }
  SECTION("a lock that nobody holds") {
    cache.tree().lock(node);
  }
  SECTION("a request is forgotten") {
    RadixHolders holders = use.holders();
    holders.requests.pop_back();
    REQUIRE(RadixCensus(cache, holders, use.alloc_page()).fault());
    return;
  }
  SECTION("a request claims what belongs to the tree") {
    RadixHolders holders = use.holders();
    RadixRequest greedy = *holders.requests.back();
    greedy.slots.append(cache.tree().node(node).slots);
    holders.requests.back() = &greedy;
    REQUIRE(RadixCensus(cache, holders, use.alloc_page()).fault());
    return;
  }
  REQUIRE(use.fault());
}
