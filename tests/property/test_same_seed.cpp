// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "sim/eviction/registry.hpp"
#include "sim/metrics/event_log.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/made_filters.hpp"

using namespace vacancy;

namespace {

/// A run that can be stepped, and the event log that it writes.
class LoggedRun {
 public:
  explicit LoggedRun(const Scenario& scenario)
      : log_(lines_), simulation_(build_config(scenario), {&log_}) {}

  bool step() { return simulation_.step() == RunStatus::running; }
  std::string lines() {
    log_.flush();
    return lines_.str();
  }

 private:
  std::ostringstream lines_;
  EventLog log_;
  Simulation simulation_;
};

/// Random weights, so that scores depend on the seed where the policy itself draws nothing.
Scenario scenario_of(const std::string& policy, const std::string& reclaim, std::uint64_t seed) {
  static const test::TemporaryFile calibration("same_seed", test::made_calibration(2, 4, 2, 8));
  const std::string text = R"({
    "model": {"name": "small", "layers": 2, "query_heads": 4, "kv_heads": 2, "head_dim": 8,
              "rope_theta": 10000},
    "attention": {"source": "random"},
    "cache": {"block_size": 4},
    "eviction": {"budget": 24, "interval": 8, "trigger": "interval",
                 "scope": "per_layer_per_head"},
    "quality": {"queries": 0},
    "workload": {"sequences": 2, "prompt_tokens": 10, "output_tokens": 50}
  })";
  std::vector<std::string> changes{"eviction.policy=" + policy, "reclaim.kind=" + reclaim};
  static const test::TemporaryFile filters("same_seed_filters", test::made_filters(2 * 2, 8));
  if (policy == "q_filter")
    changes.push_back("eviction.q_filter.filters=" + filters.path().string());
  if (policy == "triattention")
    changes.push_back("eviction.triattention.calibration=" + calibration.path().string());
  for (const std::string window :
       {"snapkv", "critical_kv", "pyramidkv", "ada_kv", "kv_compress", "ragged_blocks"})
    if (policy == window) changes.push_back("eviction." + window + ".window=8");
  if (policy == "rocketkv")
    changes.push_back("eviction.rocketkv={\"window\": 8, \"kernel\": 1, \"max_length\": 32}");
  if (policy == "head_pruning")
    changes.push_back(
        "eviction.head_pruning={\"by\": \"lazy_layers\", \"recent\": 8, \"threshold\": 0.6}");
  if (policy == "chunkkv") changes.push_back("eviction.chunkkv.base=r_kv");  // its window is short
  if (policy == "vase") changes.push_back("eviction.vase.recent=8");
  if (policy == "scissorhands") changes.push_back("eviction.scissorhands.choice=sample");
  if (policy == "lazy_eviction")
    changes.insert(changes.end(),
                   {"eviction.lazy_eviction.window=8", "eviction.lazy_eviction.alpha=0.02"});
  if (policy == "zipage") changes.push_back("eviction.zipage.window=8");
  if (policy == "openvino")
    changes.insert(changes.end(), {"eviction.openvino.start=4", "eviction.openvino.recent=8"});
  if (policy == "fastv")
    changes.insert(changes.end(), {"eviction.fastv.layer=1", "eviction.fastv.image_tokens=9"});
  if (policy == "keep_list") changes.push_back("eviction.keep_list.pattern=every_nth");
  return load_scenario_text(text, "same_seed", ".", {changes, seed});
}

}  // namespace

// Two runs that take turns: nothing that one draws or keeps may reach the other.
TEST_CASE("E-42: same seed, same event log for every stochastic policy", "[E-42]") {
  std::set<std::string> stochastic;
  for (const std::string reclaim : {"none", "slide"}) {
    for (const PolicyEntry& policy : policies()) {
      const std::string& name = policy.info.name;
      if (name == "kvzip") continue;  // random weights are no second reading
      INFO(name << ", " << reclaim);
      LoggedRun one(scenario_of(name, reclaim, 5)), again(scenario_of(name, reclaim, 5)),
          other(scenario_of(name, reclaim, 6));
      for (bool running = true; running;) {
        running = one.step();
        CHECK(again.step() == running);
        other.step();
      }
      const std::string lines = one.lines();
      CHECK(again.lines() == lines);
      if (other.lines() != lines) stochastic.insert(name);
    }
  }
  // The seed reaches the choice, or the check above would say nothing.
  for (const std::string name :
       {"ada_kv",        "critical_kv",   "cur",          "expected_attention",
        "fastv",         "h2o",           "head_pruning", "knorm",
        "kv_compress",   "lazy_eviction", "pyramidkv",    "q_filter",
        "ragged_blocks", "random",        "rocketkv",     "scissorhands",
        "snapkv",        "token_gating",  "triattention", "vase",
        "zipage"}) {
    INFO(name);
    CHECK(stochastic.contains(name));
  }
}
