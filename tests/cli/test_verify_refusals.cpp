// SPDX-License-Identifier: Apache-2.0
// verify and calibrate look at files, places and the environment before they begin.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/process.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using vacancy::test::ProcessResult;
using vacancy::test::source_dir;
using vacancy::test::TemporaryFolder;

namespace {

const char* const small = "scenarios/lessons/01-blocks-and-tables/scenario.json";

/// Exit code 2, one sentence, nothing printed.
void check_refused(const ProcessResult& result, const std::string& part) {
  INFO(result.out << result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, StartsWith("error: ") && Contains(part) && EndsWith(".\n"));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("verify reads all its files before the first run") {
  check_refused(vacancy::test::vacancy({"verify", small, "nowhere.json"}), "nowhere.json: no such");
  check_refused(vacancy::test::vacancy({"verify", small, "scenarios/sweeps/block_size.json"}),
                "block_size.json: is a sweep");
}

TEST_CASE("what verify cannot follow is told with its file") {
  check_refused(vacancy::test::vacancy({"verify", "scenarios/protocols/bare_16.json"}),
                "scenarios/protocols/bare_16.json: This scenario replays");
}

TEST_CASE("a scenario may come through a pipe") {
  const TemporaryFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const std::string command = GENERATE("run", "validate", "verify");
  std::thread writer(
      [&] { std::ofstream(pipe) << vacancy::test::read_file(source_dir() / small); });
  const ProcessResult result = vacancy::test::vacancy({command, pipe});
  writer.join();
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("verify --json tells what was verified before an error") {
  const ProcessResult result =
      vacancy::test::vacancy({"verify", small, "scenarios/protocols/bare_16.json", "--json"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err,
             Contains("error: scenarios/protocols/bare_16.json: This scenario replays"));
  const auto verified = nlohmann::json::parse(result.out);
  REQUIRE(verified.size() == 1);
  CHECK(verified.at(0).at("scenario") == small);
}

TEST_CASE("verify refuses a place for the smallest run before it begins") {
  const TemporaryFolder folder;
  check_refused(vacancy::test::vacancy({"verify", small, "--reproduce", folder.path().string()}),
                "is a folder");
  check_refused(vacancy::test::vacancy({"verify", small, "--reproduce", "/dev/full"}),
                "not a plain file");
  for (const std::string& spelled : {std::string(small), "./" + std::string(small)})
    check_refused(vacancy::test::vacancy({"verify", small, "--reproduce", spelled}),
                  "is a scenario to verify");
}

TEST_CASE("calibrate refuses a place for its file before kernels are timed") {
  const TemporaryFolder folder;
  check_refused(vacancy::test::vacancy({"calibrate", "--computed", "-o", folder.path().string()}),
                "is a folder");
}

TEST_CASE("a scenario whose name is no UTF-8 is verified, and named in JSON") {
  const TemporaryFolder folder;
  const std::string name =
      folder.write("n\xff.json", vacancy::test::read_file(source_dir() / small));
  const ProcessResult result = vacancy::test::vacancy({"verify", name, "--json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(nlohmann::json::parse(result.out).at(0).at("scenario").get<std::string>(),
             EndsWith("n\xef\xbf\xbd.json"));
}

TEST_CASE("an order or a seed of threads that is none is told") {
  const auto with = [](const std::string& variable) {
    return vacancy::test::vacancy({"verify", small}, source_dir(), {variable});
  };
  check_refused(with("VACANCY_SIMT_ORDER=sideways"), "VACANCY_SIMT_ORDER is \"sideways\"");
  check_refused(with("VACANCY_SIMT_SEED=-1"), "VACANCY_SIMT_SEED is \"-1\"");
  CHECK(with("VACANCY_SIMT_ORDER=reverse").exit_code == 0);
}

TEST_CASE("a run whose steps take years stops with a sentence") {
  const TemporaryFolder folder;
  std::string h200 = vacancy::test::read_file(source_dir() / "sim/device/presets/h200.json");
  const std::string bandwidth = "\"4800 GB/s\"";
  REQUIRE(h200.find(bandwidth) != std::string::npos);
  h200.replace(h200.find(bandwidth), bandwidth.size(), "1");
  const std::string device = folder.write("slow.json", h200);
  const ProcessResult result =
      vacancy::test::vacancy({"run", "scenarios/serving/eviction_admits_waiting.json", "--set",
                              "device=" + device, "--json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 1);
  const auto summary = nlohmann::json::parse(result.out);
  CHECK(summary.at("run").at("virtual_time_ns").get<std::int64_t>() >= 0);
  CHECK_THAT(result.err, Contains("a step takes too long"));
}
