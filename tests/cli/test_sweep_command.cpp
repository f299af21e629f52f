// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/sweep/bad_sweeps.hpp"

using vacancy::test::ProcessResult;
using vacancy::test::read_file;
using vacancy::test::TemporaryFolder;

namespace {

/// 200 points; some mean nothing (a policy with scores, and no source of any), some run out of
/// memory.
constexpr const char* small_sweep = R"({
  "description": "A sweep of small points.",
  "scenario": {
    "seed": 3, "cache": {"block_size": 8},
    "eviction": {"policy": "random", "budget": 64, "interval": 16, "prompt": "evictable"},
    "workload": {"sequences": 4, "prompt_tokens": 200, "output_tokens": 300}
  },
  "axes": {"grid": [
    {"key": "cache.blocks", "name": "pool", "values": [90, 150, 400, 800, "unlimited"]},
    {"key": "eviction.budget", "name": "budget", "from": 16, "to": 79, "step": 7},
    {"key": "eviction.policy", "name": "policy", "values": ["random", "h2o"]},
    {"key": "reclaim.kind", "name": "reclaim", "values": ["none", "slide"]}
  ]},
  "pareto": {"maximize": ["reclaim.reclaim_efficiency"], "minimize": ["reclaim.bytes_moved"]},
  "plots": [{"x": "budget", "y": "reclaim.reclaim_efficiency", "series": ["pool", "policy", "reclaim"]}]
})";

/// Every file but the one that tells of wall time.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : TemporaryFolder::names(folder))
    if (name != "timing.csv") files[name] = read_file(folder / name);
  return files;
}

ProcessResult sweep(const TemporaryFolder& folder, const std::string& out,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"sweep", "sweep.json", "-o", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return vacancy::test::vacancy(arguments, folder.path());
}

}  // namespace

TEST_CASE("a sweep killed and resumed, on any number of threads, leaves the same bytes",
          "[sweep][slow]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  const ProcessResult through = sweep(folder, "through", {"--jobs", "1"});
  INFO(through.out << through.err);
  CHECK(through.exit_code == 1);  // some points run out of memory
  CHECK_THAT(through.out, Catch::Contains("200 points: 70 done, 30 unfinished, 100 void."));
  const auto expected = contents(folder.path() / "through");
  CHECK(expected.contains("results.csv"));
  CHECK(expected.contains("plot_1.svg"));

  CHECK(sweep(folder, "threads", {"--jobs", "3", "--quiet"}).exit_code == 1);
  CHECK(contents(folder.path() / "threads") == expected);

  vacancy::test::Random random(
      static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  const std::string out = (folder.path() / "killed").string();
  const std::string file = (folder.path() / "sweep.json").string();
  int kills = 0;
  for (int round = 0; round < 4; ++round) {
    const auto wait = std::chrono::milliseconds(random.below(150));
    const ProcessResult killed =
        vacancy::test::vacancy_signalled({"sweep", file, "-o", out, "--quiet", "--jobs", "3"},
                                         SIGKILL, folder.path() / "killed" / "points.jsonl", wait);
    if (killed.exit_code == 128 + SIGKILL) ++kills;
  }
  CHECK(kills > 0);
  CHECK(sweep(folder, "killed", {"--jobs", "2", "--quiet"}).exit_code == 1);
  CHECK(contents(folder.path() / "killed") == expected);
}

TEST_CASE("a folder takes the rest of its sweep, and no other", "[sweep][slow]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  CHECK(sweep(folder, "out", {"--limit", "8"}).exit_code == 1);
  const auto first = contents(folder.path() / "out");
  const ProcessResult refused = sweep(folder, "out", {"--set", "workload.sequences=2"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Catch::Contains("of another sweep") && Catch::Contains("--fresh"));
  CHECK(contents(folder.path() / "out") == first);
  CHECK(sweep(folder, "out", {"--quiet"}).exit_code == 1);
  CHECK(sweep(folder, "whole", {"--quiet"}).exit_code == 1);
  CHECK(contents(folder.path() / "out") == contents(folder.path() / "whole"));

  const ProcessResult fresh =
      sweep(folder, "out", {"--fresh", "--limit", "8", "--set", "cache.block_size=4"});
  CHECK(fresh.exit_code == 1);
  CHECK(contents(folder.path() / "out") != first);
}

TEST_CASE("views change without a run; plots that are gone leave no file", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  sweep(folder, "out", {"--limit", "8"});
  const std::string timing = read_file(folder.path() / "out" / "timing.csv");
  std::string changed = small_sweep;
  changed.erase(changed.find(",\n  \"plots\""));
  folder.write("sweep.json", changed + "}");
  CHECK(sweep(folder, "out", {"--limit", "8"}).exit_code == 1);
  CHECK(read_file(folder.path() / "out" / "timing.csv") == timing);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "plot_1.svg"));
}

TEST_CASE("--json is results.json alone, and reports agree with vacancy run", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", R"({"scenario": "scenario.json",
      "axes": {"list": [{"cache.block_size": 4}, {"eviction.budget": 16}]}, "seeds": [3, 9]})");
  folder.write("scenario.json",
               R"({"eviction": {"policy": "random", "budget": 64, "interval": 16},
                   "workload": {"sequences": 2, "prompt_tokens": 90, "output_tokens": 100}})");
  const ProcessResult result = sweep(folder, "out", {"--json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out == read_file(folder.path() / "out" / "results.json"));
  const auto points = nlohmann::json::parse(result.out)["points"];
  REQUIRE(points.size() == 2);
  const auto freed = [&](const char* set, const char* seed) {
    const auto summary =
        nlohmann::json::parse(vacancy::test::vacancy({"run", "scenario.json", "--json", "--quiet",
                                                      "--set", set, "--seed", seed},
                                                     folder.path())
                                  .out);
    return summary["reclaim"]["blocks_freed_by_eviction"].get<double>();
  };
  const auto mean = [&](std::size_t point) {
    return points[point]["figures"]["reclaim.blocks_freed_by_eviction"]["mean"].get<double>();
  };
  CHECK(mean(0) == (freed("cache.block_size=4", "3") + freed("cache.block_size=4", "9")) / 2);
  CHECK(mean(1) == (freed("eviction.budget=16", "3") + freed("eviction.budget=16", "9")) / 2);
}

TEST_CASE("Ctrl-C keeps what is done", "[sweep]") {
  const TemporaryFolder folder;
  std::string slow = small_sweep;
  slow.replace(slow.find("\"output_tokens\": 300"), 20, "\"output_tokens\": 60000");
  const std::string file = folder.write("sweep.json", slow);
  const auto out = folder.path() / "out";
  const ProcessResult result = vacancy::test::vacancy_signalled(
      {"sweep", file, "-o", out.string(), "--set", "eviction.interval=1000"}, SIGINT,
      out / "points.jsonl");
  INFO(result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err, Catch::Contains("The same command goes on from there."));
  CHECK(TemporaryFolder::names(out) == std::vector<std::string>{"points.jsonl", "timing.csv"});
}

TEST_CASE("sweeps are told from scenarios", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  folder.write("scenario.json", R"({"workload": {"output_tokens": 10}})");
  const ProcessResult valid =
      vacancy::test::vacancy({"validate", "sweep.json", "scenario.json"}, folder.path());
  CHECK(valid.exit_code == 0);
  CHECK(valid.out == "sweep.json: valid: a sweep of 200 points\nscenario.json: valid\n");
  const ProcessResult run = vacancy::test::vacancy({"run", "sweep.json"}, folder.path());
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Catch::Contains("Run it with vacancy sweep sweep.json -o DIR."));
  const ProcessResult wrong =
      vacancy::test::vacancy({"sweep", "scenario.json", "-o", "out"}, folder.path());
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("is a scenario, and a sweep runs one at many points"));
  const ProcessResult schema = vacancy::test::vacancy({"schema", "--sweep"});
  CHECK(nlohmann::json::parse(schema.out)["title"] == "Vacancy sweep");
}

TEST_CASE("a sweep of which no point can run says why", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", R"({"scenario": {"eviction": {"policy": "h2o", "budget": 8},
      "workload": {"output_tokens": 20}},
      "axes": {"grid": [{"key": "cache.block_size", "values": [4, 8]}]}})");
  const ProcessResult result = sweep(folder, "out");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("No point of the sweep can run") &&
                             Catch::Contains("attention.source"));
  // The file mended, the folder is free.
  folder.write("sweep.json", R"({"scenario": {"eviction": {"policy": "random", "budget": 8},
      "workload": {"output_tokens": 20}},
      "axes": {"grid": [{"key": "cache.block_size", "values": [4, 8]}]}})");
  CHECK(sweep(folder, "out").exit_code == 0);
}

TEST_CASE("a bad sweep ends with exit code 2 and leaves nothing behind", "[sweep][bad][slow]") {
  for (const auto& bad : vacancy::test::bad_sweeps()) {
    const TemporaryFolder folder;
    folder.write("sweep.json", bad.text);
    std::vector<std::string> more;
    for (const std::string& assignment : bad.assignments)
      more.insert(more.end(), {"--set", assignment});
    const ProcessResult result = sweep(folder, "results/out", more);
    INFO(bad.name << '\n' << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::Contains(bad.head));
    CHECK(TemporaryFolder::names(folder.path()) == std::vector<std::string>{"sweep.json"});
  }
}

TEST_CASE("a damaged journal is told of, and costs what was damaged only", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  CHECK(sweep(folder, "out", {"--limit", "8"}).exit_code == 1);
  const auto first = contents(folder.path() / "out");
  std::string journal = first.at("points.jsonl");
  const auto after_line = [&](int lines) {
    std::size_t at = 0;
    for (; lines > 0; --lines)
      at = journal.find('\n', at) + 1;
    return at;
  };
  journal[after_line(3) + 2] = '?';
  folder.write("out/points.jsonl", journal);
  const ProcessResult mended = sweep(folder, "out", {"--limit", "8"});
  CHECK(mended.exit_code == 1);
  CHECK_THAT(mended.err, Catch::Contains("1 line is damaged") &&
                             Catch::Contains("The old journal is points.damaged-1.jsonl."));
  CHECK_THAT(mended.out, Catch::Contains("1 run took"));
  auto second = contents(folder.path() / "out");
  CHECK(second["points.damaged-1.jsonl"] == journal);
  second.erase("points.damaged-1.jsonl");
  CHECK(second == first);

  journal = first.at("points.jsonl");
  journal[4] = '?';
  folder.write("out/points.jsonl", journal);
  const ProcessResult refused = sweep(folder, "out", {"--limit", "8"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Catch::Contains("its first line is damaged"));
  CHECK(contents(folder.path() / "out").at("points.jsonl") == journal);
}

TEST_CASE("files that are no sweep's are not lost", "[sweep][bad]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", small_sweep);
  std::filesystem::create_directory(folder.path() / "mine");
  for (const auto& [name, text] :
       {std::pair("points.jsonl", "{\"my\": \"data\"}\n"),
        std::pair("points.jsonl", "no end of line"), std::pair("results.csv", "a,b\n1,2\n")}) {
    INFO(name);
    folder.write(std::string("mine/") + name, text);
    const ProcessResult result = sweep(folder, "mine", {"--limit", "1"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains("would be lost. Name another folder"));
    CHECK(read_file(folder.path() / "mine" / name) == text);
    std::filesystem::remove(folder.path() / "mine" / name);
  }
}

TEST_CASE("a report has room on any terminal: a line a point, or a block", "[sweep]") {
  const TemporaryFolder folder;
  folder.write("sweep.json",
               R"({"scenario": {"workload": {"prompt_tokens": 40, "output_tokens": 40}},
      "axes": {"list": [
        {"cache.block_size": 4, "eviction.policy": "random", "eviction.budget": 32,
         "eviction.interval": 8, "reclaim.kind": "slide", "workload.sequences": 2, "seed": 7},
        {"eviction.policy": "sliding_window", "eviction.budget": 24, "eviction.interval": 8}]},
      "pareto": {"maximize": ["reclaim.reclaim_efficiency"], "minimize": ["reclaim.bytes_moved"]}})");
  const auto report = [&](const char* columns) {
    const ProcessResult result = vacancy::test::vacancy(
        {"sweep", "sweep.json", "-o", "out"}, folder.path(), {std::string("COLUMNS=") + columns});
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const std::string wide = report("400"), narrow = report("60");
  CHECK_THAT(wide, Catch::Contains("\npoint  cache.block_size  eviction.policy"));
  CHECK_THAT(narrow,
             Catch::Contains("\nAll points\npoint 0, cache.block_size 4, eviction.policy random,\n"
                             "  eviction.budget 32, "));
  CHECK_THAT(narrow, Catch::Contains("\n  reclaim.reclaim_efficiency "));
  CHECK_THAT(narrow, Catch::Contains("\nPareto front\n"));
  CHECK_THAT(narrow, !Catch::Contains("too wide"));
  // Each value of the wide table is in the narrow one.
  std::istringstream rows(wide.substr(wide.find("\n0")));
  std::string cell;
  for (int cells = 0; rows >> cell && cells < 12; ++cells)
    CHECK_THAT(narrow, Catch::Contains(cell));
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 60 + 8);  // bytes; a dash has three
  }
}

// More series than a picture has room for in its legend: an SVG, and no crash.
TEST_CASE("a plot that is too tall for a PNG is left as SVG", "[sweep][slow]") {
  const TemporaryFolder folder;
  folder.write("sweep.json", R"({"scenario": {"eviction": {"policy": "random", "budget": 8},
      "workload": {"output_tokens": 20}},
      "axes": {"grid": [{"key": "cache.block_size", "values": [4]},
                        {"key": "seed", "from": 1, "to": 1000, "step": 1}]},
      "plots": [{"x": "cache.block_size", "y": "memory.kv_peak_blocks"}]})");
  const ProcessResult result = sweep(folder, "out");
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(std::filesystem::exists(folder.path() / "out" / "plot_1.svg"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "plot_1.png"));
}
