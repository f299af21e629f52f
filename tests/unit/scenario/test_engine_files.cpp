// SPDX-License-Identifier: Apache-2.0
// Engine profiles of one's own in scenarios.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

const std::string served = R"({
  "cache": {"block_size": 16, "blocks": 100},
  "workload": {"trace": {"path": "shared:absent.jsonl"}}
})";

class ProfileFolder {
 public:
  ProfileFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "vacancy-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ProfileFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("an engine profile comes from a name, an object or a file", "[scenario]") {
  const Scenario built_in = load(served, {"engine.profile=vllm-0.19.0"});
  CHECK(built_in.serving->config.engine.name == "vllm-0.19.0");

  const std::string own =
      R"({"name": "mine", "base": "vllm-0.19.0", "hash_chain": {"watermark_blocks": 3}})";
  const Scenario object = load(served, {"engine.profile=" + own});
  CHECK(object.serving->config.engine.name == "mine");
  CHECK(object.serving->config.engine.hash_chain->watermark_blocks == 3);
  CHECK(object.serving->config.engine.steps_in_flight == 2);

  const ProfileFolder folder;
  folder.write("mine.json", "// a comment\n" + own);
  const auto file = folder.write("run.json", R"({"cache": {"block_size": 16, "blocks": 100},
      "engine": {"profile": "mine.json", "steps_in_flight": 1},
      "workload": {"trace": {"path": "shared:absent.jsonl"}}})");
  const Scenario from_file = load_scenario(file);
  CHECK(from_file.serving->scheduler == SchedulerKind::continuous_batching);
  CHECK(from_file.serving->config.engine.hash_chain->watermark_blocks == 3);
  CHECK(from_file.serving->config.engine.steps_in_flight == 1);  // the scenario's word is the last

  for (const Scenario* scenario : {&built_in, &object, &from_file}) {
    const auto resolved = resolved_json(*scenario);
    const Scenario again = load(resolved.dump());
    CHECK(resolved_json(again) == resolved);
    CHECK(again.serving->config.engine.name == scenario->serving->config.engine.name);
  }
}

TEST_CASE("a profile's scheduler choices hold unless the scenario has others", "[scenario]") {
  const std::string own =
      R"(engine.profile={"base": "vllm-0.10.0", "scheduler": {"victim": "oldest", "requeue": "back"}})";
  const SchedulerOptions as_is = load(served, {own}).serving->config.scheduler;
  CHECK(as_is.victim == Victim::oldest);
  CHECK(as_is.requeue == Requeue::back);
  const auto changed = load(served, {own, "serving.victim=newest", "serving.requeue=front"});
  CHECK(changed.serving->config.scheduler.victim == Victim::newest);
  CHECK(changed.serving->config.scheduler.requeue == Requeue::front);
}

TEST_CASE("faults inside a profile have their own lines and bring up no other", "[scenario]") {
  const ProfileFolder folder;
  const auto file = folder.write("mine.json",
                                 "{\"base\": \"vllm-0.10.0\",\n\"hash_chain\": {\n"
                                 "\"free_order\": \"apend\", \"watermark\": 1}}");
  const std::string fault = fault_of(R"({"workload": {}})", {"engine.profile=" + file.string()});
  CHECK_THAT(fault, Contains(file.string() + ":3: /hash_chain/free_order: \"apend\" is none of"));
  CHECK_THAT(fault, Contains("\n" + file.string() + ":3: /hash_chain/watermark: is not a key"));
  CHECK(std::count(fault.begin(), fault.end(), '\n') == 1);

  const auto broken = folder.write("broken.json", "{\n\"base\": }");
  CHECK_THAT(fault_of(served, {"engine.profile=" + broken.string()}),
             Contains(broken.string() + ":2: "));
  CHECK_THAT(fault_of(served, {"engine.profile=none.json"}), Contains("no such file"));
  CHECK_THAT(fault_of(served,
                      {R"(engine.profile={"base": "trtllm-2026-08"})", "engine.free_order=append"}),
             Contains("the engine has no such rule; it is one of vLLM's."));
}

TEST_CASE("a profile among absent shared data leaves a scenario valid", "[scenario]") {
  const Scenario scenario = load(served, {"engine.profile=shared:absent.json"});
  REQUIRE(scenario.obstacle);
  CHECK_THAT(*scenario.obstacle, Contains("shared:absent.json"));
  CHECK_THROWS_AS(build_serving(scenario), UserError);
}
