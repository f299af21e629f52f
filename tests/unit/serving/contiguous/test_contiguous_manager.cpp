// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/serving/contiguous/contiguous_manager.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/length_trace.hpp"

using namespace vacancy;
using vacancy::test::Lengths;
using vacancy::test::LengthTrace;

namespace {

/// Follows allocations and releases as an observer of the event stream can.
struct Follower final : Observer {
  std::map<SequenceId, std::vector<BlockId>> held;
  std::map<SequenceId, std::uint32_t> tokens;
  std::uint64_t allocated = 0, preempted = 0;

  void on_event(const Event& event) override {
    if (const auto* given = std::get_if<BlocksAllocated>(&event)) {
      CHECK(given->first_entry == 0);
      for (std::size_t i = 1; i < given->blocks.size(); ++i)
        CHECK(given->blocks[i].value() == given->blocks[i - 1].value() + 1);
      CHECK(held.emplace(given->sequence, std::vector(given->blocks.begin(), given->blocks.end()))
                .second);
      allocated += given->blocks.size();
    } else if (const auto* back = std::get_if<BlocksReleased>(&event)) {
      const auto& run = held.at(back->sequence);
      CHECK(std::equal(run.begin(), run.end(), back->blocks.begin(), back->blocks.end()));
      CHECK(back->freed == run.size());
      held.erase(back->sequence);
      tokens.erase(back->sequence);
    } else if (const auto* appended = std::get_if<TokensAppended>(&event)) {
      CHECK(tokens[appended->sequence] == appended->first);
      tokens[appended->sequence] += appended->count;
    } else if (std::holds_alternative<SequencePreempted>(event)) {
      ++preempted;
    }
  }
};

Request request(std::uint32_t id, std::uint32_t prompt, std::uint32_t output) {
  Request made;
  made.id = SequenceId(id);
  made.prompt_tokens = prompt;
  made.output_tokens = output;
  return made;
}

ContiguousOptions options(Reservation reservation, std::uint32_t block_size, std::uint32_t blocks) {
  return {reservation, block_size, blocks};
}

}  // namespace

TEST_CASE("contiguous: what a request reserves") {
  Follower silent;
  const auto reserved = [&](Reservation rule, std::uint32_t block_size, const Request& request) {
    return ContiguousManager(options(rule, block_size, 4096), 2048, silent).reservation(request);
  };
  const Request small = request(0, 100, 25);
  CHECK(reserved(Reservation::max, 1, small) == 2048);
  CHECK(reserved(Reservation::pow2, 1, small) == 132);  // 25 becomes 32, the paper's example
  CHECK(reserved(Reservation::oracle, 1, small) == 125);
  CHECK(reserved(Reservation::oracle, 16, small) == 128);
  // No more than the longest sequence.
  CHECK(reserved(Reservation::pow2, 1, request(0, 1000, 1025)) == 2048);
}

TEST_CASE("contiguous: every slot is live, reserved, lost inside, lost to rounding, or free") {
  Follower follower;
  ContiguousManager manager(options(Reservation::pow2, 1, 300), 2048, follower);
  const Request a = request(0, 60, 33), b = request(1, 10, 5), wide = request(2, 100, 29);
  REQUIRE(manager.admit(a, 60, 60, false));  // 60 + 64 of 128
  CHECK(manager.use() == ContiguousUse{60, 33, 31, 4, 172});
  REQUIRE(manager.extend(a, 60, 1, 61));
  CHECK(manager.context(a) == 61);
  CHECK(manager.use() == ContiguousUse{61, 32, 31, 4, 172});
  REQUIRE(manager.admit(b, 10, 4, true));  // a part of the prompt; 10 + 8 of 32
  CHECK(manager.use() == ContiguousUse{65, 43, 34, 18, 140});
  CHECK(manager.used_blocks() == 160);
  CHECK(manager.usage() == Approx(160.0 / 300));

  // 140 are free, in runs of 128, 8 and 4: of no use to whoever needs 132.
  CHECK_FALSE(manager.fits(wide));
  CHECK_FALSE(manager.admit(wide, 100, 100, true));
  manager.finish(a);
  CHECK(manager.fits(wide));
  manager.preempt(b);
  CHECK(manager.use() == ContiguousUse{0, 0, 0, 0, 300});
  CHECK(manager.allocator().largest_free() == 256);
  manager.allocator().check_invariants();
  CHECK(follower.held.empty());
}

TEST_CASE("contiguous: random requests under a scheduler; events, runs and sums agree") {
  for (const Reservation rule : {Reservation::max, Reservation::pow2, Reservation::oracle})
    for (const std::uint32_t block_size : {1u, 16u}) {
      std::vector<Lengths> lengths;
      for (std::uint32_t i = 0; i < 120; ++i) {
        const auto draw = philox4x32_10({i, 0, 0, 0}, philox_key(7));
        lengths.push_back({1 + draw[0] % 700, 1 + draw[1] % 300});
      }
      ServingConfig config;
      config.engine.max_sequence_tokens = 2048;
      config.engine.contiguous = options(rule, block_size, 9000 / block_size);
      config.scheduler.max_num_batched_tokens = 512;  // prompts come in parts
      config.arrivals = ArrivalRule::closed_loop;
      ServingSimulation simulation(config, std::make_unique<RequestSource>(
                                               std::make_unique<LengthTrace>(lengths), block_size));
      Follower follower;
      simulation.add_observer(follower);
      const auto& manager = dynamic_cast<const ContiguousManager&>(simulation.cache());
      while (simulation.step() == RunStatus::running) {
        manager.allocator().check_invariants();
        ContiguousUse expected;
        std::uint64_t held = 0;
        for (const auto& [id, blocks] : follower.held) {
          const Lengths& own = lengths[id.value()];
          const std::uint64_t whole = std::uint64_t{own.prompt} + own.output;
          const std::uint64_t asked =
              manager.reservation(request(id.value(), own.prompt, own.output));
          const std::uint64_t granted = blocks.size() * block_size;
          CHECK(granted < 2 * asked);
          expected.live += follower.tokens[id];
          expected.reserved += whole - follower.tokens[id];
          expected.internal += asked - whole;
          expected.rounding += granted - asked;
          held += blocks.size();
        }
        expected.free = std::uint64_t{manager.options().blocks - held} * block_size;
        CHECK(manager.use() == expected);
        CHECK(manager.used_blocks() == held);
        CHECK(manager.pool().slots().tail == held * block_size - expected.live);
      }
      CHECK(simulation.status() == RunStatus::completed);
      CHECK(simulation.requests_done() == lengths.size());
      CHECK(follower.held.empty());
      CHECK(follower.preempted == 0);
      CHECK(manager.used_blocks() == 0);
    }
}

TEST_CASE(
    "contiguous: a request that no run can hold is rejected, one that is too long is a fault") {
  ServingConfig config;
  config.engine.max_sequence_tokens = 2048;
  config.engine.contiguous = options(Reservation::max, 16, 127);
  config.arrivals = ArrivalRule::closed_loop;
  auto small = std::make_unique<LengthTrace>(std::vector<Lengths>{{10, 10}});
  ServingSimulation rejected(config, std::make_unique<RequestSource>(std::move(small), 16));
  while (rejected.step() == RunStatus::running) {
  }
  CHECK(rejected.status() == RunStatus::stopped);

  auto large = std::make_unique<LengthTrace>(std::vector<Lengths>{{2000, 49}});
  ServingSimulation fault(config, std::make_unique<RequestSource>(std::move(large), 16));
  CHECK_THROWS_WITH(fault.step(), Catch::Contains("2,049 tokens") &&
                                      Catch::Contains("engine.max_sequence_tokens"));
}

TEST_CASE("a profile has exactly one memory manager") {
  for (const EngineProfile& profile : engine_profiles()) {
    CAPTURE(profile.name);
    CHECK(profile.hash_chain.has_value() + profile.radix.has_value() +
              profile.reuse_tree.has_value() + profile.contiguous.has_value() ==
          1);
    CHECK((!profile.contiguous || profile.max_sequence_tokens));
  }
  CHECK(find_engine_profile("orca-oracle")->contiguous->reservation == Reservation::oracle);
}
