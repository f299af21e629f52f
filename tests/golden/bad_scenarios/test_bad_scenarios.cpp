// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"
#include "tests/golden/bad_scenarios/bad_scenarios.hpp"

using namespace vacancy;

namespace {

/// The working directory of a test, gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "vacancy-XXXXXX").string();
    path_ = mkdtemp(name.data());
    std::filesystem::current_path(path_);
  }
  ~ScratchFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }

 private:
  std::filesystem::path before_, path_;
};

std::string message_of(const std::filesystem::path& file, const ScenarioOverrides& overrides) {
  try {
    load_scenario(file, overrides);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::set<std::filesystem::path> files_here() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("."))
    files.insert(entry.path());
  return files;
}

}  // namespace

TEST_CASE("the list of bad scenarios is long and has no double", "[bad]") {
  std::set<std::string> names;
  for (const auto& bad : test::bad_scenarios())
    CHECK(names.insert(bad.name).second);
  CHECK(names.size() >= 70);
}

TEST_CASE("bad scenarios are refused with place, fault and remedy", "[bad][E-25]") {
  const ScratchFolder folder;
  for (const auto& bad : test::bad_scenarios()) {
    std::ofstream("bad.json", std::ios::binary) << bad.text;
    const auto before = files_here();
    const std::string message = message_of("bad.json", {bad.assignments, std::nullopt});
    INFO(bad.name << "\n" << message);

    const auto lines = lines_of(message);
    CHECK(lines.size() == bad.faults.size());
    for (std::size_t i = 0; i < std::min(lines.size(), bad.faults.size()); ++i) {
      const auto& fault = bad.faults[i];
      CHECK_THAT(lines[i],
                 Catch::StartsWith((fault.of_override() ? "" : "bad.json:") + fault.head()));
      for (const std::string& words : fault.words)
        CHECK_THAT(lines[i], Catch::Contains(words));
      CHECK((lines[i].back() == '.' || lines[i].back() == '?'));
    }
    CHECK(files_here() == before);
  }
}

TEST_CASE("a scenario that is no file is refused", "[bad]") {
  const ScratchFolder folder;
  CHECK_THAT(message_of("none.json", {}), Catch::Equals("none.json: no such file."));
  CHECK_THAT(message_of(".", {}), Catch::Contains(".: is a folder"));
  CHECK_THAT(message_of("", {}), Catch::Contains("no such file"));
  CHECK_THAT(message_of("none.json/x", {}), Catch::Contains("no such file"));
  std::filesystem::create_symlink("loop.json", "loop.json");
  CHECK_FALSE(message_of("loop.json", {}).empty());
}

TEST_CASE("every prefix of a good scenario is refused without a crash", "[bad]") {
  const std::string good =
      R"({"seed": 12, "cache": {"blocks": 400, "memory": null}, "eviction": {"policy": "random",
          "budget": 20, "usage": {"arm": 0.5e0}}, "workload": {"output_tokens": 100}})";
  CHECK_NOTHROW(load_scenario_text(good, "good.json", "."));
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(good.substr(0, length));
    CHECK_THROWS_AS(load_scenario_text(good.substr(0, length), "good.json", "."), UserError);
  }
}

TEST_CASE("every byte in every place of a scenario is read or refused", "[bad]") {
  const std::string good = R"({"seed":12,"cache":{"blocks":4e2},"x":"\u00e4"/**/})";
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[at] = static_cast<char>(byte);
      try {
        load_scenario_text(text, "mutant.json", ".");
      } catch (const UserError&) {
      }
    }
  SUCCEED("no crash and no other exception");
}
