// SPDX-License-Identifier: Apache-2.0
// Rule T13. A small engine loop composes the scheduling functions with the cache. Cases with a name
// mirror cpp/tests/unit_tests/batch_manager/capacitySchedulerTest.cpp: what runs at which step.
#include <algorithm>
#include <functional>
#include <map>

#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;
using namespace vacancy::test;

namespace {

enum class Policy { guaranteed_no_evict, max_utilization, static_batch };

struct Request {
  std::uint32_t id = 0;
  Words words;  // known tokens
  std::uint32_t prompt = 0, left = 0;
  std::uint32_t chunk = 0, computed = 0;  // prefill in chunks; 0: at once
  RequestPhase phase = RequestPhase::waiting;
};

/// One token a step for each request that runs; made tokens differ between requests and steps.
class Loop {
 public:
  Loop(const CacheOptions& options, Policy policy, std::uint32_t most)
      : rig(options), policy_(policy), most_(most) {}

  void submit(std::uint32_t id, Words prompt, std::uint32_t output, std::uint32_t chunk = 0) {
    Request request;
    request.id = id;
    request.prompt = static_cast<std::uint32_t>(prompt.size());
    request.words = std::move(prompt);
    request.left = output;
    request.chunk = chunk;
    active.push_back(std::move(request));
  }
  /// A prompt that shares nothing with others.
  void submit(std::uint32_t id, std::uint32_t prompt, std::uint32_t output,
              std::uint32_t chunk = 0) {
    submit(id, Words(prompt, 1'000'000 + id), output, chunk);
  }

  bool idle() const { return active.empty(); }

  /// The ids that ran.
  Ids step() {
    const CapacityChoice choice = choose();
    for (const std::uint32_t index : choice.paused)
      pause(active[index]);
    Ids ran;
    for (const std::uint32_t index : choice.scheduled) {
      ran.push_back(active[index].id);
      advance(active[index]);
    }
    std::erase_if(active, [](const Request& request) { return request.left == 0; });
    ++steps;
    return ran;
  }

  Rig rig;
  std::vector<Request> active;
  std::uint32_t steps = 0;

 private:
  CapacityChoice choose() {
    std::vector<std::vector<std::span<const BlockId>>> held(active.size());
    std::vector<CapacityRequest> views;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const Request& request = active[i];
      const SequenceId id(request.id);
      CapacityRequest& view = views.emplace_back();
      view.phase = request.phase;
      view.prompt_tokens = request.prompt;
      view.new_tokens =
          request.left + static_cast<std::uint32_t>(request.words.size()) - request.prompt;
      if (request.phase == RequestPhase::waiting) {
        view.new_block = rig.cache.find_new_context_block(as_new(request));
        continue;
      }
      view.slots = rig.cache.slots(id);
      held[i].push_back(rig.cache.table(id, 0).held());
      view.held = held[i];
      if (request.phase == RequestPhase::prefilling)
        view.new_block = rig.cache.find_new_context_block(id);
    }
    switch (policy_) {
      case Policy::guaranteed_no_evict:
        return guaranteed_no_evict(views, rig.cache.windows(), most_);
      case Policy::static_batch:
        return static_batch(views, rig.cache.windows(), most_);
      default:
        return max_utilization(views, rig.cache.windows(), most_);
    }
  }

  static NewSequence as_new(const Request& request) {
    return {SequenceId(request.id), {}, request.prompt, request.words, {}, {}};
  }

  void pause(Request& request) {
    rig.release(request.id, false);
    request.prompt = static_cast<std::uint32_t>(request.words.size());
    request.phase = RequestPhase::waiting;
    request.computed = 0;
  }

  void advance(Request& request) {
    const SequenceId id(request.id);
    if (request.phase == RequestPhase::decoding) {
      REQUIRE(rig.cache.add_slot(id));
    } else {
      if (request.phase == RequestPhase::waiting) {
        const auto reused = rig.cache.add(as_new(request));
        REQUIRE(reused.has_value());
        request.computed = *reused;
        request.phase = RequestPhase::prefilling;
      }
      const std::uint32_t rest = request.prompt - request.computed;
      request.computed += request.chunk == 0 ? rest : std::min(rest, request.chunk);
      if (request.computed < request.prompt) return;
      rig.store_context(request.id);
      request.phase = RequestPhase::decoding;
    }
    request.words.push_back(std::uint64_t{request.id} << 32 | steps);
    rig.cache.add_token(id, request.words.back());
    rig.check();
    if (--request.left == 0) rig.release(request.id);
  }

  Policy policy_;
  std::uint32_t most_;
};

CacheOptions pool_of(std::uint32_t tokens, std::uint32_t longest, bool reuse = false) {
  CacheOptions options;
  options.block_size = 10;
  options.max_sequence_length = longest;
  options.windows = {{longest, {tokens / 10, 0}}};
  options.reuse = reuse;
  return options;
}

/// From which step on which ids run, until nothing is left.
using Phases = std::vector<std::pair<std::uint32_t, Ids>>;

Phases run(
    Loop& loop, const std::function<void(std::uint32_t)>& before_step = [](auto) {}) {
  Phases phases;
  while (!loop.idle()) {
    REQUIRE(loop.steps < 1000);
    before_step(loop.steps);
    const std::uint32_t step = loop.steps;
    Ids ran = loop.step();
    std::sort(ran.begin(), ran.end());
    if (phases.empty() || phases.back().second != ran) phases.emplace_back(step, ran);
  }
  CHECK(loop.rig.free() == loop.rig.window().config().primary_blocks);
  return phases;
}

}  // namespace

TEST_CASE("T13: two requests that fit run to their end, under each policy (SimpleShouldFit)") {
  for (const Policy policy :
       {Policy::guaranteed_no_evict, Policy::max_utilization, Policy::static_batch}) {
    Loop loop(pool_of(200, 90), policy, 2);
    loop.submit(0, 10, 80);
    loop.submit(1, 10, 80);
    CHECK(run(loop) == Phases{{0, {0, 1}}});
    CHECK(loop.steps == 80);
  }
}

TEST_CASE("T13: prefill in chunks (SimpleShouldFitInChunk)") {
  for (const Policy policy :
       {Policy::guaranteed_no_evict, Policy::max_utilization, Policy::static_batch}) {
    Loop loop(pool_of(200, 90), policy, 2);
    loop.submit(0, 50, 40, 20);
    loop.submit(1, 50, 40, 20);
    CHECK(run(loop) == Phases{{0, {0, 1}}});
    CHECK(loop.steps == 42);
  }
}

TEST_CASE(
    "T13: MAX_UTILIZATION pauses the last when blocks run out (SimpleDoesntFitMaxUtilization)") {
  Loop loop(pool_of(100, 90), Policy::max_utilization, 2);
  loop.submit(0, 10, 80);
  loop.submit(1, 10, 80);
  CHECK(run(loop) == Phases{{0, {0, 1}}, {41, {0}}, {80, {1}}});
  CHECK(loop.steps == 119);
}

TEST_CASE("T13: … with chunks (SimpleDoesntFitMaxUtilizationInChunk, …InChunkedCache)") {
  {
    Loop loop(pool_of(100, 90), Policy::max_utilization, 2);
    loop.submit(0, 30, 60, 20);
    loop.submit(1, 30, 60, 20);
    const Phases phases = run(loop);
    CHECK(phases[0] == std::pair{0u, Ids{0, 1}});
    CHECK(phases[1] == std::pair{22u, Ids{0}});
    CHECK(phases[2] == std::pair{61u, Ids{1}});
  }
  Loop loop(pool_of(100, 90), Policy::max_utilization, 2);
  loop.submit(0, 70, 20, 40);
  loop.submit(1, 70, 20, 40);
  CHECK(run(loop) == Phases{{0, {0}}, {21, {1}}});
  CHECK(loop.steps == 42);
}

TEST_CASE("T13: … and admits again in order (SimpleDoesntFitAddingNewRequestsMaxUtilization)") {
  Loop loop(pool_of(100, 90), Policy::max_utilization, 4);
  loop.submit(0, 10, 80);
  loop.submit(1, 10, 80);
  const Phases phases = run(loop, [&](std::uint32_t step) {
    if (step != 10) return;
    loop.submit(2, 10, 80);
    loop.submit(3, 10, 80);
  });
  CHECK(phases == Phases{{0, {0, 1}},
                         {10, {0, 1, 2, 3}},
                         {21, {0, 1}},
                         {41, {0}},
                         {80, {1, 2}},
                         {90, {1}},
                         {119, {2, 3}},
                         {139, {2}},
                         {178, {3}}});
  CHECK(loop.steps == 227);
}

TEST_CASE("T13: the limit of requests pauses too (SimpleSurpassMaxNumRequestsWithPriorities)") {
  Loop loop(pool_of(100, 90), Policy::max_utilization, 2);
  loop.submit(0, 10, 10);
  loop.submit(1, 10, 10);
  const Phases phases = run(loop, [&](std::uint32_t step) {
    if (step != 2) return;
    loop.submit(3, 10, 10);
    loop.submit(2, 10, 10);
    std::rotate(loop.active.begin(), loop.active.begin() + 2, loop.active.end());
  });
  CHECK(phases == Phases{{0, {0, 1}}, {2, {2, 3}}, {12, {0, 1}}});
  CHECK(loop.steps == 20);
}

TEST_CASE("T13: GUARANTEED_NO_EVICT reserves to the end (SimpleDoesntFitGuaranteedCompletion)") {
  Loop loop(pool_of(100, 90), Policy::guaranteed_no_evict, 2);
  loop.submit(0, 10, 80);
  loop.submit(1, 10, 80);
  CHECK(run(loop) == Phases{{0, {0}}, {80, {1}}});
  CHECK(loop.steps == 160);
}

TEST_CASE("T13: … with chunks (SimpleDoesntFitGuaranteedCompletionInChunk)") {
  Loop loop(pool_of(100, 90), Policy::guaranteed_no_evict, 2);
  loop.submit(0, 30, 60, 20);
  loop.submit(1, 30, 60, 20);
  CHECK(run(loop) == Phases{{0, {0}}, {61, {1}}});
  CHECK(loop.steps == 122);
}

TEST_CASE("T13: … stops at the first that does not fit, though a smaller one behind would") {
  Loop loop(pool_of(100, 90), Policy::guaranteed_no_evict, 4);
  loop.submit(0, 10, 40);
  loop.submit(1, 10, 80);
  loop.submit(2, 10, 10);
  CHECK(run(loop) == Phases{{0, {0}}, {40, {1}}, {120, {2}}});
}

TEST_CASE("T13: STATIC_BATCH admits only when nothing decodes (SimpleFitsStaticBatch)") {
  Loop loop(pool_of(200, 90), Policy::static_batch, 2);
  loop.submit(0, 10, 80);
  loop.submit(1, 10, 40);
  loop.submit(2, 10, 80);
  CHECK(run(loop) == Phases{{0, {0, 1}}, {40, {0}}, {80, {2}}});
  CHECK(loop.steps == 160);
}

TEST_CASE("T13: a request waits for blocks that another is creating (DelayDuplicateRequest)") {
  for (const Policy policy :
       {Policy::max_utilization, Policy::guaranteed_no_evict, Policy::static_batch}) {
    Loop loop(pool_of(200, 50, true), policy, 3);
    for (const std::uint32_t id : {0u, 1u, 2u})
      loop.submit(id, counting(0, 21), 2);
    const Phases phases = run(loop);
    if (policy == Policy::static_batch)
      CHECK(phases == Phases{{0, {0, 1, 2}}});
    else
      CHECK(phases == Phases{{0, {0}}, {1, {0, 1, 2}}, {2, {1, 2}}});
    CHECK(loop.rig.cache.counters().reused == 4);
  }
}

TEST_CASE("T13: … also for one whose chunks are still coming (DelayDuplicateRequestChunked)") {
  for (const Policy policy : {Policy::guaranteed_no_evict, Policy::max_utilization}) {
    Loop loop(pool_of(200, 90, true), policy, 2);
    loop.submit(0, counting(0, 50), 40, 20);
    loop.submit(1, counting(0, 50), 40, 20);
    CHECK(run(loop) == Phases{{0, {0}}, {3, {0, 1}}, {42, {1}}});
    CHECK(loop.steps == 43);
    CHECK(loop.rig.cache.counters().reused == 4);
  }
}

TEST_CASE("T13: … and only as long as it creates one (DelayFiveRequestsComplicated)") {
  for (const Policy policy : {Policy::max_utilization, Policy::guaranteed_no_evict}) {
    Loop loop(pool_of(1000, 150, true), policy, 5);
    loop.submit(0, counting(1, 11), 80);
    loop.submit(1, counting(2, 21), 80);
    for (const std::uint32_t i : {0u, 1u, 2u})
      loop.submit(2 + i, counting(0, 10 * (i + 1) + 1), 80);
    CHECK(run(loop) ==
          Phases{{0, {0, 1, 2}}, {1, {0, 1, 2, 3}}, {2, {0, 1, 2, 3, 4}}, {80, {3, 4}}, {81, {4}}});
    CHECK(loop.steps == 82);
    CHECK(loop.rig.cache.counters().reused == 3);
  }
}

TEST_CASE("T13: blocks to completion and for the next steps") {
  const CacheOptions full = pool_of(1000, 200);
  const ReuseTreeCache cache(full);
  const WindowBlockManager& manager = cache.windows()[0];
  CapacityRequest request;
  request.prompt_tokens = 21;
  request.new_tokens = 30;
  CHECK(blocks_to_completion(request, 0, manager) == 6);
  CHECK(blocks_for_steps(request, manager, 1) == 3);
  const std::vector<BlockId> blocks{BlockId(0), BlockId(1), BlockId(2)};
  const std::vector<std::span<const BlockId>> held{blocks};
  request.held = held;
  request.phase = RequestPhase::prefilling;
  CHECK(blocks_to_completion(request, 0, manager) == 3);
  CHECK(blocks_for_steps(request, manager, 1) == 0);
  request.phase = RequestPhase::decoding;
  request.slots = 29;
  CHECK(blocks_for_steps(request, manager, 1) == 0);
  CHECK(blocks_for_steps(request, manager, 2) == 1);
  request.slots = 50;
  CHECK(blocks_for_steps(request, manager, 1) == 1);
  CHECK(blocks_for_steps(request, manager, 2) == 1);  // 51 tokens are the end
  request.slots = 51;
  CHECK(blocks_for_steps(request, manager, 2) == 0);
}

TEST_CASE("T13: in a sliding window a request needs its prompt, then a window and a block (ours)") {
  CacheOptions options = pool_of(1000, 500);
  options.windows = {{20, {100, 0}}};
  Rig rig(options);
  CapacityRequest request;
  request.prompt_tokens = 95;
  request.new_tokens = 200;
  CHECK(blocks_to_completion(request, 0, rig.window()) == 10);
  request.prompt_tokens = 5;
  CHECK(blocks_to_completion(request, 0, rig.window()) == 3);
  // The reserve is what a sequence really comes to hold, from any prompt on.
  for (const std::uint32_t prompt : {1u, 5u, 20u, 21u, 29u, 95u}) {
    INFO("prompt " << prompt);
    request.prompt_tokens = prompt;
    const std::uint32_t reserve = blocks_to_completion(request, 0, rig.window());
    rig.add(prompt, Words(prompt, prompt));
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      most = std::max(most, rig.cache.table(SequenceId(prompt), 0).held().size());
      REQUIRE(rig.cache.add_slot(SequenceId(prompt)));
    }
    CHECK(most == reserve);
    rig.release(prompt);
  }
}

// Both hold two blocks that slide away: the first to let go frees none, and takes others all the
// same.
TEST_CASE("T13: in a sliding window what requests share is reserved for each of them (ours)") {
  CacheOptions options = pool_of(1000, 500, true);
  options.block_size = 4;
  options.windows = {{8, {6, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 9));
  rig.release(0);
  std::vector<CapacityRequest> requests(3);
  std::vector<std::vector<std::span<const BlockId>>> held(3);
  for (const std::uint32_t id : {1u, 2u}) {
    CHECK(rig.add(id, counting(0, 8) + Words{100 + id}) == 8);
    requests[id - 1].phase = RequestPhase::decoding;
    requests[id - 1].prompt_tokens = 9;
    requests[id - 1].new_tokens = 100;
    requests[id - 1].slots = 9;
    held[id - 1] = {rig.cache.table(SequenceId(id), 0).held()};
    requests[id - 1].held = held[id - 1];
  }
  CHECK(rig.free() == 2);
  CHECK(spare_blocks(rig.window()) == 0);
  requests[2].prompt_tokens = requests[2].new_tokens = 1;  // one block
  CHECK(guaranteed_no_evict(requests, rig.cache.windows(), 8).scheduled ==
        std::vector<std::uint32_t>{0, 1});
  for (const std::uint32_t id : {1u, 2u})  // the first needs both while the second stays
    for (std::uint32_t i = 0; i < 90; ++i)
      rig.append(id, {i});
}

TEST_CASE("T13: a pause frees a shared block with its last holder only") {
  Rig rig(one_window(6));
  rig.add(0, counting(0, 12));
  rig.store_context(0);
  rig.add(1, counting(0, 12));  // shares two of three blocks
  rig.append(1, {12});
  CHECK(rig.free() == 1);
  std::vector<CapacityRequest> requests(3);
  std::vector<std::vector<std::span<const BlockId>>> held(3);
  for (std::uint32_t i = 0; i < 2; ++i) {
    requests[i].phase = RequestPhase::decoding;
    requests[i].prompt_tokens = 12;
    requests[i].new_tokens = 10;
    requests[i].slots = rig.cache.slots(SequenceId(i));
    held[i] = {rig.cache.table(SequenceId(i), 0).held()};
    requests[i].held = held[i];
  }
  // A waiting request in front that needs 4 blocks: pausing request 1 gives 2 of its 4 and leaves
  // 3, pausing request 0 as well gives all 6.
  requests[2].prompt_tokens = 16;
  std::rotate(requests.begin(), requests.begin() + 2, requests.end());
  CapacityChoice choice = max_utilization(requests, rig.cache.windows(), 8);
  CHECK(choice.scheduled == std::vector<std::uint32_t>{0});
  CHECK(choice.paused == std::vector<std::uint32_t>{2, 1});
  requests[0].prompt_tokens = 12;
  choice = max_utilization(requests, rig.cache.windows(), 8);
  CHECK(choice.scheduled == std::vector<std::uint32_t>{0});
  CHECK(choice.paused == std::vector<std::uint32_t>{2, 1});  // request 1 finds no block, and pauses
}
