// SPDX-License-Identifier: Apache-2.0
// What asks for a GPU, on machines that have none, and the device profile by arithmetic.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gpu_backend/launch/device.hpp"
#include "tests/cli/process.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using vacancy::test::ProcessResult;
using vacancy::test::TemporaryFolder;

namespace {

const char* const serving = R"({
  "model": "qwen3-8b",
  "device": "h200",
  "cache": {"block_size": 16, "blocks": 4000},
  "engine": {"profile": "vllm-0.19.0"},
  "eviction": {"policy": "knorm", "scope": "per_layer_per_head", "budget": 256, "interval": 64,
               "trigger": "slack", "prompt": "evictable"},
  "attention": {"source": "random"},
  "reclaim": {"kind": "slide"},
  "quality": {"queries": 0},
  "workload": {"source": "independent", "arrivals": "closed_loop",
               "independent": {"requests": 1, "prompt_median": 400, "prompt_sigma": 0, "output_median": 60,
                               "output_sigma": 0}}})";

nlohmann::json summary_of(const std::string& scenario, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{"run", scenario, "--json"};
  for (const std::string& set : sets) {
    arguments.push_back("--set");
    arguments.push_back(set);
  }
  const ProcessResult result = vacancy::test::vacancy(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("without a GPU the commands that need one say so in a sentence, with exit code 2") {
  if (vacancy::gpu::open_device(vacancy::gpu::DeviceKind::cuda) != nullptr) return;
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "gpu.json").string();
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"calibrate", "--backend", "cuda", "-o", out},
           {"calibrate", "-o", out},
           {"verify", "scenarios/seed/steady_state.json", "--backend", "cuda"}}) {
    const ProcessResult result = vacancy::test::vacancy(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("--backend cuda: ") && EndsWith(".\n"));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(TemporaryFolder::names(folder.path()).empty());
}

TEST_CASE(
    "costs by arithmetic are the built-in h200-kernels, byte for byte, and a scenario's time") {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "computed.json").string();
  const ProcessResult result = vacancy::test::vacancy({"calibrate", "--computed", "-o", out});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, StartsWith("NVIDIA H200 SXM 141 GB, kernels computed: computed costs"));
  CHECK(vacancy::test::read_file(out) ==
        vacancy::test::read_file(vacancy::test::source_dir() /
                                 "sim/device/presets/h200-kernels.json"));

  const std::string scenario = folder.write("serving.json", serving);
  const auto time = [&](const std::vector<std::string>& sets) {
    return summary_of(scenario, sets).at("run").at("virtual_time_ns").get<std::uint64_t>();
  };
  const std::uint64_t without = time({}), with = time({"device=" + out});
  CHECK(with == time({"device=h200-kernels"}));
  CHECK(with != without);
}

TEST_CASE("calibrate names what it cannot do at once") {
  const ProcessResult both = vacancy::test::vacancy(
      {"calibrate", "--computed", "--device", "h200", "-o", "/nowhere/device.json"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("--computed"));
}
