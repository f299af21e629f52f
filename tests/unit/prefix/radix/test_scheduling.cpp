// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "sim/prefix/radix/scheduling.hpp"
#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::ids;
using Order = std::vector<std::uint32_t>;

TEST_CASE("S12: admission wants more room than prompt, clipped output and a page") {
  CHECK(admission_fits(100, 50, 1, 152, 0, 0));
  CHECK_FALSE(admission_fits(100, 50, 1, 151, 0, 0));
  CHECK(admission_fits(100, 50, 16, 100, 67, 0));
  CHECK_FALSE(admission_fits(100, 50, 16, 100, 67, 1));
  CHECK(admission_fits(0, 1'000'000, 1, 4098, 0, 0));
  CHECK_FALSE(admission_fits(0, 1'000'000, 1, 4097, 0, 0));
}

TEST_CASE("S13: least output is retracted first, then the longest input; one remains") {
  const std::vector<RunningLengths> running = {{10, 5}, {30, 2}, {20, 2}, {10, 9}, {30, 2}};
  CHECK(retraction_order(running) == Order{4, 1, 2, 0});
  CHECK(retraction_order({}).empty());
  CHECK(retraction_order(std::vector<RunningLengths>{{1, 1}}).empty());
}

TEST_CASE("S12: queue policies have the engine's names, and lpm gives up beyond 128 requests") {
  CHECK(queue_policy("dfs-weight") == QueuePolicy::dfs_weight);
  CHECK_FALSE(queue_policy("sjf").has_value());
  CHECK(effective_queue_policy(QueuePolicy::lpm, 128) == QueuePolicy::lpm);
  CHECK(effective_queue_policy(QueuePolicy::lpm, 129) == QueuePolicy::fcfs);
  CHECK(effective_queue_policy(QueuePolicy::lof, 129) == QueuePolicy::lof);
}

TEST_CASE("S12: lpm sorts by matched tokens, the postponed last, equals as they came") {
  const Order matched = {3, 9, 3, 20, 0};
  CHECK(longest_prefix_order(matched, std::vector<bool>(5)) == Order{3, 1, 0, 2, 4});
  CHECK(longest_prefix_order(matched, {false, true, false, true, false}) == Order{0, 2, 4, 1, 3});
}

TEST_CASE("S12: of requests that share 32 tokens with each other but not with the tree, one runs") {
  TokenRuns a, b, c;
  a.append(trace_block(1, 40));
  b.append(trace_block(1, 32));
  b.append(trace_block(2, 10));
  c.append(trace_block(1, 31));
  c.append(trace_block(3, 10));
  const std::vector<WaitingPrefix> waiting = {
      {{}, a, 32}, {{}, b, 32}, {{}, b, 33}, {{}, c, 0}, {NamespaceId(1), b, 0}};
  CHECK(in_batch_duplicates(waiting) == std::vector{false, true, false, false, false});
}

TEST_CASE("S12: dfs-weight goes into the subtree that most wait for, own requests after it") {
  RadixCache cache({}, std::make_unique<TokenSlotAllocator>(64));
  RadixTree& tree = cache.tree();
  for (const TokenRuns& tokens :
       {ids({1, 2}), ids({1, 3}), ids({4, 5}), ids({4, 6}), ids({7}), ids({8})})
    cache.store({}, tokens, {});
  std::vector<RadixNodeId> nodes;
  for (const TokenRuns& tokens :
       {ids({7}), ids({9}), ids({1}), ids({4, 6}), ids({4, 5}), ids({8}), ids({4, 6}), ids({1, 3})})
    nodes.push_back(tree.match({}, tokens).node);
  // [4]: three, of which [6] has two; [1]: two, its own after [3]'s; [7] before [8]; the root last.
  CHECK(dfs_weight_order(tree, nodes) == Order{3, 6, 4, 7, 2, 0, 5, 1});
  CHECK(dfs_weight_order(tree, {}).empty());
}

TEST_CASE("S12: lof sorts by the limit of output") {
  CHECK(longest_output_order(Order{5, 9, 5, 10}) == Order{3, 1, 0, 2});
}

TEST_CASE("a random order is a permutation of (key, round)") {
  const PhiloxKey key = philox_key(3, Stream::workload);
  const Order order = random_order(50, key, 1);
  CHECK(order == random_order(50, key, 1));
  CHECK(order != random_order(50, key, 2));
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted != order);
  for (std::uint32_t i = 0; i < 50; ++i)
    CHECK(sorted[i] == i);
  CHECK(random_order(0, key, 1).empty());
}
