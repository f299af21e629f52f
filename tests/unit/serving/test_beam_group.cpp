// SPDX-License-Identifier: Apache-2.0
// Candidates of one request in a cache without limits: blocks in closed form, and against
// candidates as plain strings of tokens.
#include <catch2/catch.hpp>
#include <optional>
#include <set>

#include "sim/serving/vllm/beam_group.hpp"
#include "sim/workload/beam_parents.hpp"
#include "tests/support/plain_lineage.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

Silent silent;

/// A request with `prompt` tokens that became `width` candidates.
class Beam {
 public:
  Beam(std::uint32_t prompt, std::uint32_t width, std::uint32_t block_size)
      : length(prompt), cache(config(block_size), silent) {
    start(prompt);
    group.emplace(cache, request, width, prompt);
  }

  void grow() {
    const std::uint64_t before = cache.pool().held(), b = cache.config().block_size;
    const std::uint64_t beside = group->blocks_beside(length, length + 1);
    group->grow(cache, length, length + 1);
    CHECK(cache.pool().held() - before == (length % b == 0) + beside);
    ++length;
    cache.check_invariants();
  }
  void select(const std::vector<std::uint32_t>& parents) {
    group->select(cache, parents, length);
    cache.check_invariants();
  }
  /// Loses all blocks and computes everything anew, in parts.
  void compute_again(std::uint32_t part) {
    group->leave(cache, FreeCause::preemption);
    cache.preempt(request);
    CHECK(cache.pool().held() == 0);
    const std::uint32_t together = std::min(part, group->common());
    start(together);
    for (std::uint32_t from = together; from < length; from += part)
      group->grow(cache, from, std::min(from + part, length));
    cache.check_invariants();
  }
  std::uint32_t held() const { return cache.pool().held(); }
  std::span<const BlockId> blocks(std::uint32_t candidate) const {
    return cache.sequence(candidate_id(request, candidate)).tables.front().entries();
  }

  static constexpr SequenceId request{7};
  std::uint32_t length;
  KvCache cache;
  std::optional<BeamGroup> group;

 private:
  static CacheConfig config(std::uint32_t block_size) {
    CacheConfig config;
    config.block_size = block_size;
    return config;
  }
  void start(std::uint32_t tokens) {
    cache.start(request, tokens);
    REQUIRE(cache.append(request, tokens));
  }
};

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

TEST_CASE("candidates that never branch share the prompt's full blocks and no more") {
  for (const std::uint32_t b : {1u, 4u, 16u})
    for (const std::uint32_t prompt : {1u, 15u, 16u, 17u}) {
      Beam beam(prompt, 3, b);
      CHECK(beam.held() == ceil_div(prompt, b));
      for (std::uint32_t output = 1; output < 40; ++output) {
        beam.grow();
        CHECK(beam.held() == prompt / b + 3 * (ceil_div(prompt + output, b) - prompt / b));
        beam.select({0, 1, 2});
      }
    }
}

TEST_CASE("candidates that all come from the first share everything but their last token's block") {
  for (const std::uint32_t b : {1u, 4u, 16u})
    for (const std::uint32_t width : {2u, 3u, 8u}) {
      Beam beam(9, width, b);
      for (std::uint32_t length = 10; length < 60; ++length) {
        beam.grow();
        CHECK(beam.held() == (length - 1) / b + width);
        beam.select(std::vector<std::uint32_t>(width, 0));
        CHECK(beam.held() == ceil_div(length, b));
      }
    }
}

TEST_CASE(
    "a chosen candidate keeps its number, and the numbers of the others go to further children") {
  Beam beam(4, 4, 4);
  beam.grow();
  const std::vector<BlockId> before{beam.blocks(0)[1], beam.blocks(1)[1], beam.blocks(2)[1],
                                    beam.blocks(3)[1]};
  beam.select({3, 1, 3, 3});
  CHECK(beam.blocks(0)[1] == before[3]);
  CHECK(beam.blocks(1)[1] == before[1]);
  CHECK(beam.blocks(2)[1] == before[3]);
  CHECK(beam.blocks(3)[1] == before[3]);
  CHECK(beam.held() == 1 + 2);
  // The first two that write copy the block, the last one has it alone.
  beam.grow();
  CHECK(beam.blocks(3)[1] == before[3]);
  CHECK(beam.held() == 1 + 4);
}

TEST_CASE("any candidates share exactly what they have in common, also when computed again") {
  Random random(5);
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    INFO("trial " << trial);
    const std::uint32_t width = 2 + random.below(7), prompt = 1 + random.below(20);
    const std::uint32_t b = random.of({1u, 2u, 4u, 16u});
    const BeamParents process({width, random.of({0.1, 0.5, 1.0}), random.of({0.0, 0.5})}, trial);
    Beam beam(prompt, width, b);
    PlainLineage plain(prompt, width);
    std::vector<std::uint32_t> parents(width);
    for (std::uint32_t output = 1; output < 50; ++output) {
      beam.grow();
      plain.grow();
      for (std::uint32_t i = 0; i < width; ++i)
        parents[i] = process.parent(7, output, i);
      beam.select(parents);
      plain.select(parents);
      if (random.one_in(8)) beam.compute_again(1 + random.below(9));
      std::set<BlockId> all;
      for (std::uint32_t i = 0; i < width; ++i) {
        // The end of what was computed again is forked when the group grows on.
        if (!beam.cache.sequences().contains(candidate_id(beam.request, i))) continue;
        const auto own = beam.blocks(i);
        all.insert(own.begin(), own.end());
        for (std::uint32_t j = 0; j < i; ++j)
          if (beam.cache.sequences().contains(candidate_id(beam.request, j)))
            REQUIRE(shared_entries(own, beam.blocks(j)) == plain.shared_blocks(i, j, b));
      }
      CHECK(beam.held() == all.size());
    }
  }
}

TEST_CASE("parents are a function of seed, request, output token and candidate") {
  const BeamParents process({4, 1, 0}, 1);
  std::uint32_t counts[4] = {};
  for (std::uint32_t i = 0; i < 40'000; ++i)
    ++counts[process.parent(i / 400, i / 4 % 100, i % 4)];
  for (const std::uint32_t count : counts)  // 10,000 each; the standard deviation is 87
    CHECK(count == Approx(10'000).margin(400));
  CHECK(process.parent(3, 5, 2) == BeamParents({4, 1, 0}, 1).parent(3, 5, 2));

  std::uint32_t own = 0, first = 0;
  const BeamParents mixed({4, 0.25, 0.5}, 1);
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    own += mixed.parent(i, 1, 3) == 3;
    first += mixed.parent(i, 1, 3) == 0;
  }
  CHECK(own == Approx(40'000 * (0.75 + 0.25 * 0.5 / 4)).margin(400));
  CHECK(first == Approx(40'000 * 0.25 * (0.5 + 0.5 / 4)).margin(400));
}
