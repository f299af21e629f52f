// SPDX-License-Identifier: Apache-2.0
// TensorRT-LLM with host memory: rules T4, T7 and T8 of spec engines.
#include "sim/serving/engine_profile.hpp"
#include "tests/support/table_follower.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t host_block_size = 4, host_block_bytes = 40;

struct Seen final : Observer {
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<PrefixLookedUp>(&event)) looked_up = e->hit;
    if (const auto* e = std::get_if<RequestAdmitted>(&event)) found = e->hit;
  }
  std::uint32_t looked_up = 0, found = 0;  // of the last request
};

/// One request at a time in a pool of ten blocks: a prompt of nine and a token needs all of them.
struct HostEngine {
  explicit HostEngine(std::uint32_t host_blocks, std::uint32_t threshold = 30,
                      bool onboarding = true)
      : manager(options(host_blocks, threshold, onboarding), seen),
        run(find_engine_profile("trtllm-2026-08")->scheduler, manager, seen) {}

  static ReuseTreeOptions options(std::uint32_t host_blocks, std::uint32_t threshold,
                                  bool onboarding) {
    ReuseTreeOptions options;
    options.block_size = host_block_size;
    options.windows = {{full_window, {10, host_blocks}, Bytes(host_block_bytes / host_block_size)}};
    options.offload_threshold = threshold;
    options.onboarding = onboarding;
    return options;
  }
  /// Tokens found of a prompt of `blocks` blocks and a token; the bytes that its steps waited for.
  std::pair<std::uint32_t, std::uint64_t> serve(std::uint64_t first_key, std::uint32_t blocks = 9) {
    std::vector<std::uint64_t> keys;
    for (std::uint32_t i = 0; i < blocks; ++i)
      keys.push_back(first_key + i);
    Request request = keyed(next++, std::move(keys), host_block_size, 1);
    ++request.prompt_tokens;
    run.scheduler.add(std::move(request));
    std::uint64_t bytes = 0;
    run.drain([&] {
      const HostTraffic traffic = manager.take_host_traffic();
      bytes += (traffic.written_back + traffic.loaded).value();
      REQUIRE_FALSE(manager.tree().find_fault());
    });
    return {seen.found, bytes};
  }
  const reuse_tree::Counters& counts() const { return manager.tree().windows()[0].counters(); }

  Seen seen;
  std::uint32_t next = 0;
  ReuseTreeManager manager;
  EngineRun run;
};

using Served = std::pair<std::uint32_t, std::uint64_t>;

}  // namespace

TEST_CASE("T7, T8: contents go to the host when their memory is taken, and come back") {
  HostEngine engine(20);
  CHECK(engine.serve(100) == Served{0, 0});
  CHECK(engine.serve(200) == Served{0, 10 * host_block_bytes});
  // Nine come back, and all ten of the other request give way.
  CHECK(engine.serve(100) == Served{36, 19 * host_block_bytes});
  const WindowFigures figures = engine.manager.windows().front();
  CHECK(figures.host_blocks == 20);
  CHECK(figures.offloaded() == Bytes(20 * host_block_bytes));
  CHECK(figures.onboarded() == Bytes(9 * host_block_bytes));
  CHECK(figures.counts.reused_tokens == 36);
  CHECK(figures.counts.reused_tokens_secondary == 36);
}

TEST_CASE("without host memory, or with onboarding off, what is displaced is lost") {
  HostEngine none(0), off(20, 30, false);
  for (HostEngine* engine : {&none, &off}) {
    engine->serve(100);
    CHECK(engine->serve(200) == Served{0, 0});
    CHECK(engine->serve(100) == Served{0, 0});
    CHECK(engine->counts().offloaded == 0);
  }
}

TEST_CASE("T4: contents of a priority below the threshold are not worth the way") {
  // Blocks have the default priority, 35; the engine's constant is 30, its documents say 35.
  for (const auto& [threshold, found] :
       {std::pair(30u, 36u), std::pair(35u, 36u), std::pair(36u, 0u)}) {
    HostEngine engine(20, threshold);
    engine.serve(100);
    engine.serve(200);
    CHECK(engine.serve(100).first == found);
  }
}

// To bring a block in, what is displaced takes the host's memory of the next one, or its device
// memory is taken: the request then finds less than it looked up, and computes the rest.
TEST_CASE("an admission computes what onboarding displaced") {
  bool shorter = false;
  for (std::uint32_t host = 1; host <= 12; ++host) {
    HostEngine engine(host);
    for (const std::uint64_t first : {100u, 200u, 100u, 300u, 100u, 200u}) {
      const std::uint32_t found = engine.serve(first).first;
      CHECK(found <= engine.seen.looked_up);
      shorter |= found < engine.seen.looked_up;
    }
    CHECK(engine.manager.used_blocks() == 0);
  }
  CHECK(shorter);
}
