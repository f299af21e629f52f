// SPDX-License-Identifier: Apache-2.0
// What can be found by its contents, from events alone, against the engine's own lineage.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "gui/model/prefix_tree.hpp"
#include "sim/study/engine_run.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

TEST_CASE("a prefix tree is the engine's own, forwards and after going back", "[prefix_tree]") {
  const auto scenario = scenario_of(small_serving("vllm-main-2026-08", "", 600, 40));
  RecordedRun recorded(scenario);
  recorded.run();
  PrefixTree tree(recorded.recording());

  EngineRun run(*scenario);
  run.follow_sharing();
  struct Count final : Observer {
    void on_event(const vacancy::Event&) override { ++events; }
    std::uint64_t events = 0;
  } count;
  run.add_observer(count);
  std::map<std::uint64_t, std::vector<PrefixNode>> seen;
  for (std::uint64_t step = 0; run.step(); ++step) {
    if (step % 40 != 0) continue;
    tree.seek(count.events);
    const std::vector<PrefixNode> nodes = tree.nodes();
    const std::vector<SharingNode> own = run.cache().sharing();
    REQUIRE(nodes.size() == own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      REQUIRE(nodes[i].parent == own[i].parent);
    seen[count.events] = nodes;
  }
  REQUIRE(seen.size() > 10);
  CHECK(seen.rbegin()->second.size() > 100);
  for (auto it = seen.rbegin(); it != seen.rend(); ++it) {
    tree.seek(it->first);
    REQUIRE(tree.nodes() == it->second);
  }
}
