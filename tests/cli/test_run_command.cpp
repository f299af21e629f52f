// SPDX-License-Identifier: Apache-2.0
// `vacancy run` as a user and a script see it: the built program in a process of its own.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"
#include "tests/support/source_dir.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using vacancy::test::ProcessResult;
using vacancy::test::read_file;
using vacancy::test::TemporaryFolder;

namespace {

const std::string evict = "scenarios/seed/evict_14k_of_16k.json";
const std::string qwen = "scenarios/seed/qwen3_32b_6gib.json";

ProcessResult vacancy_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return vacancy::test::vacancy(arguments);
}

json summary(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const ProcessResult result = vacancy_run(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("the report begins with the sentence that answers the question") {
  const ProcessResult result = vacancy_run({evict});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, StartsWith("Evicted 14,000 of 16,000 tokens (87.5 %); "));
  CHECK_THAT(result.out, Contains("of 1,000 blocks came"));
  CHECK_THAT(result.out, Contains("117.9 ± 8.5"));
  CHECK_THAT(result.out, !Contains("n/a") && !Contains("nan") && !Contains("\x1b"));
}

TEST_CASE("--sharing writes the graph of what the prefix index holds") {
  const TemporaryFolder folder;
  const std::string chats = "scenarios/serving/chats_and_prefixes.json";
  const std::string fewer = "workload.multi_turn.requests=100";
  for (const auto& [name, start] : {std::pair("shared.dot", "digraph G {\nrankdir=LR;"),
                                    std::pair("shared.graphml", "<?xml version=\"1.0\"")}) {
    const auto file = folder.path() / name;
    const ProcessResult result =
        vacancy_run({chats, "--set", fewer, "--sharing", file.string(), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const std::string text = read_file(file);
    CHECK_THAT(text, StartsWith(start));
    REQUIRE(vacancy_run({chats, "--set", fewer, "--sharing", file.string(), "--quiet"}).exit_code ==
            0);
    CHECK(read_file(file) == text);
  }
  const auto refused = [&](std::vector<std::string> arguments, const std::string& file,
                           const std::string& words) {
    arguments.insert(arguments.end(), {"--sharing", (folder.path() / file).string()});
    const ProcessResult result = vacancy_run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(words));
  };
  refused({chats}, "shared.png", "End it in .dot or .graphml");
  refused({chats, "--set", "prefix.index=none"}, "x.dot", "what a prefix index holds");
  refused({evict}, "x.dot", "continuous_batching; this scenario has none");
  CHECK(TemporaryFolder::names(folder.path()) ==
        std::vector<std::string>{"shared.dot", "shared.graphml"});
}

TEST_CASE("--free-plan tells what freeing cached blocks would lose") {
  const std::string pages = "scenarios/shared_prefix/page_scatter.json";
  const ProcessResult result =
      vacancy_run({pages, "--set", "prefix.tenant_quota_blocks=0", "--free-plan", "3425"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("To free 3,425 of the 4,425 cached blocks"));
  CHECK_THAT(result.out, Contains("as the free queue has them        112                 70"));
  CHECK_THAT(result.out, Contains("whole pages first                   0                 16"));
  // A share is rounded up, and no more than all can go.
  CHECK_THAT(vacancy_run({pages, "--free-plan", "10%"}).out, Contains("To free 100 of the 1,000"));
  CHECK_THAT(vacancy_run({pages, "--free-plan", "5000"}).out,
             Contains("To free 1,000 of the 1,000"));

  const auto refused = [&](std::vector<std::string> arguments, const std::string& words) {
    const ProcessResult bad = vacancy_run(std::move(arguments));
    CHECK(bad.exit_code == 2);
    CHECK_THAT(bad.err, Contains(words));
  };
  for (const char* text : {"x", "-1", "1.5", "101%", "10 %"})
    refused({pages, "--free-plan", text}, "give a number of blocks");
  refused({evict, "--free-plan", "5"}, "this scenario has none");
  refused({pages, "--set", "prefix.tenant_quota_blocks=0", "--set", "prefix.index=none",
           "--free-plan", "5"},
          "this scenario has none");
}

TEST_CASE("no line of the report is wider than the terminal") {
  for (const int columns : {80, 100, 160}) {
    const ProcessResult result =
        vacancy::test::vacancy({"run", evict, "--map"}, vacancy::test::source_dir(),
                               {"COLUMNS=" + std::to_string(columns)});
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      const auto width =
          std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
      CHECK(width <= columns);
    }
  }
}

TEST_CASE("--json gives the summary alone on standard output, the report on standard error") {
  const ProcessResult result = vacancy_run({evict, "--json", "--map"});
  CHECK(result.exit_code == 0);
  const json figures = json::parse(result.out);
  CHECK(figures["reclaim"]["evicted_tokens"] == 14000);
  CHECK_THAT(result.err, StartsWith("Evicted 14,000") && Contains("Before the last eviction"));

  const ProcessResult quiet = vacancy_run({evict, "--json", "--quiet"});
  CHECK(quiet.out == result.out);
  CHECK(quiet.err.empty());
}

TEST_CASE("--set and --seed change the run") {
  CHECK(summary({evict, "--set", "reclaim.kind=slide"})["reclaim"]["blocks_freed_by_eviction"] ==
        875);
  CHECK(summary({evict, "--set", "cache.block_size=1"})["reclaim"]["blocks_freed_by_eviction"] ==
        14000);
  const json one = summary({evict, "--seed", "18446744073709551615"});
  CHECK(one["run"]["seed"] == 18446744073709551615u);
  // Several times, each for one value; the scenario may follow.
  const json two = summary(
      {"--set", "eviction.budget=4000", "--set", "eviction.protect={\"recent\": 16}", evict});
  CHECK(two["reclaim"]["evicted_tokens"] == 12000);
}

TEST_CASE("a run out of memory says where and how to go on, and exits 1") {
  // 64 MiB in the place of 6 GiB: 16 blocks of 4 MiB, so the outcome is the same, but sooner.
  const std::vector<std::string> small = {qwen, "--set", "cache.memory=64MiB"};
  const ProcessResult result = vacancy_run(small);
  CHECK(result.exit_code == 1);
  CHECK_THAT(
      result.out,
      StartsWith("Sequence 0 found no slot for token 257: all 16 blocks are held (64 MiB)."));
  const ProcessResult quiet =
      vacancy_run({qwen, "--set", "cache.memory=64MiB", "--json", "--quiet"});
  CHECK(quiet.exit_code == 1);
  CHECK(json::parse(quiet.out)["serving"]["unfinished"] == 1);
  CHECK_THAT(quiet.err, StartsWith("Sequence 0 found no slot for token 257"));

  const json evicted = summary({qwen, "--set", "cache.memory=64MiB", "--set",
                                "eviction.policy=random", "--set", "eviction.budget=128", "--set",
                                "eviction.interval=64", "--set", "workload.output_tokens=600"});
  CHECK(evicted["serving"]["completed"] == 1);
  CHECK(evicted["memory"]["kv_peak_blocks"] == 12);
}

TEST_CASE("the user's errors exit 2 with a sentence and nothing on standard output") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& sentence) {
    const ProcessResult result = vacancy::test::vacancy(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(sentence));
  };
  refused({"run", "missing.json"}, "missing.json");
  refused({"run", evict, "--set", "eviction.bugdet=3"}, "budget");
  refused({"run", evict, "--set", "nonsense"}, "nonsense");
  refused({"run", evict, "--seed", "many"}, "--seed");
  for (const char* seed : {"-1", "18446744073709551616", "", "010", "0x10", " 1"})
    refused({"run", evict, "--seed", seed}, "--seed: expected an integer");
  refused({"run", evict, "--out", ""}, "--out: is empty");
  refused({"run", evict, "--sead", "3"}, "Unknown option --sead. Did you mean \"--seed\"?");
  refused({"run", evict, "--events"}, "--out");
  refused({"run", evict, "--color", "sometimes"}, "--color");
  refused({"run", evict, "--out", evict}, "Cannot write");
  refused({"run", evict, evict}, "Unexpected argument");
  refused({"run"}, "SCENARIO is missing. See vacancy run --help.");
  refused({"rnu", evict}, "Unknown command \"rnu\". Did you mean \"run\"?");
  refused({}, "A command is missing: one of run, validate,");
}

TEST_CASE("--out writes all files of a run, and the same bytes again from its own scenario") {
  const TemporaryFolder folder;
  const auto first = folder.path() / "deep" / "first", second = folder.path() / "second";
  const ProcessResult result =
      vacancy_run({evict, "--out", first.string(), "--events", "--seed", "5"});
  CHECK(result.exit_code == 0);
  CHECK(TemporaryFolder::names(first) ==
        std::vector<std::string>{"events.jsonl", "scenario.json", "summary.json", "timeline.csv"});
  CHECK(json::parse(read_file(first / "scenario.json"))["seed"] == 5);

  REQUIRE(vacancy_run({(first / "scenario.json").string(), "--out", second.string(), "--events"})
              .exit_code == 0);
  for (const std::string& name : TemporaryFolder::names(first)) {
    INFO(name);
    CHECK(read_file(first / name) == read_file(second / name));
  }
  // Without --events the folder speaks of the new run only.
  REQUIRE(vacancy_run({evict, "--out", first.string()}).exit_code == 0);
  CHECK(TemporaryFolder::names(first) ==
        std::vector<std::string>{"scenario.json", "summary.json", "timeline.csv"});
}

TEST_CASE("a cancelled run leaves nothing behind") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const ProcessResult result = vacancy::test::vacancy_signalled(
      {"run", "scenarios/seed/steady_state.json", "--set", "workload.output_tokens=100000000",
       "--out", out.string(), "--events"},
      signal, out);
  INFO(result.err);
  CHECK(result.exit_code == 130);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("Cancelled; nothing was written."));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("a working folder that is gone is the user's error") {
  const auto home = std::filesystem::current_path();
  {
    const TemporaryFolder gone;
    std::filesystem::current_path(gone.path());
  }
  const std::string scenario = vacancy::test::source_file("/") + evict;
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--out", "x"}, {"--set", "model=x.json"}}) {
    const ProcessResult result =
        vacancy::test::vacancy({"run", scenario, option[0], option[1]}, ".");
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("x") && Contains("No such file"));
  }
  std::filesystem::current_path(home);
}

TEST_CASE("an unlimited pool ends where 32 bits do") {
  const ProcessResult result =
      vacancy_run({evict, "--set", "workload.prompt_tokens=1073741824", "--set",
                   "eviction.policy=full", "--set", "cache.table=per_layer_per_head"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("unlimited pool") && !Contains("of 0"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need all addresses
TEST_CASE("too little memory is a sentence, not an abort") {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  rlimit little = limit;
  little.rlim_cur = 512u << 20;
  setrlimit(RLIMIT_AS, &little);  // for the program: children inherit it
  const ProcessResult result =
      vacancy_run({evict, "--set", "cache.blocks=67108864", "--set", "cache.block_size=32"});
  setrlimit(RLIMIT_AS, &limit);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, StartsWith("error: ") && Contains("memory"));
}
#endif

TEST_CASE("absent shared data are the user's error, with the place where they belong") {
  const ProcessResult result =
      vacancy::test::vacancy({"run", "scenarios/real/tiny_llama.json"}, vacancy::test::source_dir(),
                             {"VACANCY_SHARED_DIR=/nowhere"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("stories260K.bin") && Contains("VACANCY_SHARED_DIR"));
  const ProcessResult valid =
      vacancy::test::vacancy({"validate", "scenarios/real/tiny_llama.json"},
                             vacancy::test::source_dir(), {"VACANCY_SHARED_DIR=/nowhere"});
  CHECK(valid.exit_code == 0);
  CHECK_THAT(valid.out, Contains(": valid") && Contains("note: "));
}

TEST_CASE("--misses writes why blocks of prompts were not in the cache") {
  const TemporaryFolder folder;
  folder.write("s.json", R"({"cache": {"block_size": 512, "blocks": 20},
      "serving": {"scheduler": "block_replay"}, "workload": {"trace": {"path": ")" +
                             vacancy::test::source_dir().string() +
                             R"(/traces/samples/mooncake.jsonl"}}})");
  const auto run_here = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "s.json", "--misses", "new/misses.csv", "--quiet"});
    return vacancy::test::vacancy(more, folder.path());
  };
  const std::string header =
      "request,prompt_blocks,first_missed_block,reason,evicted_at_ns,evicted_by,last_shared_block";
  CHECK(run_here({}).exit_code == 0);
  CHECK_THAT(read_file(folder.path() / "new" / "misses.csv"), StartsWith(header + "\n0,"));
  CHECK(TemporaryFolder::names(folder.path() / "new") == std::vector<std::string>{"misses.csv"});

  std::filesystem::remove_all(folder.path() / "new");
  const ProcessResult engine = run_here(
      {"--set", "serving.scheduler=continuous_batching", "--set", "engine.profile=sglang-2026-07"});
  CHECK(engine.exit_code == 2);
  CHECK_THAT(engine.err, Contains("--misses"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "new"));
  const ProcessResult nowhere =
      vacancy::test::vacancy({"run", "s.json", "--misses", "."}, folder.path());
  CHECK(nowhere.exit_code == 2);
  CHECK_THAT(nowhere.err, Contains("is a folder"));
}

TEST_CASE(
    "a file of a run takes the place of no other file of it, and of nothing but a plain file") {
  const TemporaryFolder folder;
  const std::string scenario = R"({"cache": {"block_size": 512, "blocks": 20},
      "serving": {"scheduler": "block_replay"}, "workload": {"trace": {"path": ")" +
                               vacancy::test::source_dir().string() +
                               R"(/traces/samples/mooncake.jsonl"}}})";
  folder.write("s.json", scenario);
  std::filesystem::create_symlink("elsewhere.csv", folder.path() / "link.csv");
  const auto refused = [&](std::vector<std::string> more, const std::string& sentence) {
    more.insert(more.begin(), {"run", "s.json", "--quiet"});
    const ProcessResult result = vacancy::test::vacancy(more, folder.path());
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(sentence));
    CHECK(TemporaryFolder::names(folder.path()) == std::vector<std::string>{"link.csv", "s.json"});
    CHECK(read_file(folder.path() / "s.json") == scenario);
  };
  refused({"--misses", "./s.json"}, "would take the place of the scenario");
  refused({"--misses", "out/summary.json", "--out", "out"}, "the place of a file of --out");
  refused({"--misses", "link.csv"}, "not a plain file");
}
