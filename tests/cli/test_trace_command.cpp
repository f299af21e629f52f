// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using vacancy::test::ProcessResult;
using vacancy::test::read_file;
using vacancy::test::TemporaryFolder;

namespace {

ProcessResult call(std::vector<std::string> arguments, const TemporaryFolder& folder) {
  arguments.insert(arguments.begin(), "trace");
  return vacancy::test::vacancy(arguments, folder.path());
}

const std::string csv = "arrival_s,prompt_tokens,output_tokens\n0.5,100,10\n1.25,300,20\n";

}  // namespace

TEST_CASE("trace info tells lengths, arrivals and blocks") {
  const TemporaryFolder folder;
  folder.write("m.jsonl",
               R"({"timestamp": 0, "input_length": 1000, "output_length": 5, "hash_ids": [1, 2]})"
               "\n"
               R"({"timestamp": 500, "input_length": 600, "output_length": 15, "hash_ids": [1, 3]})"
               "\n");
  const ProcessResult text = call({"info", "m.jsonl"}, folder);
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("mooncake") && Contains("25.00 %") && Contains("1,600"));
  const json out = json::parse(call({"info", "m.jsonl", "--json"}, folder).out);
  CHECK(out["format"] == "mooncake");
  CHECK(out["requests"] == 2);
  CHECK(out["prompt_tokens"]["sum"] == 1600);
  CHECK(out["output_tokens"]["p50"] == 10.0);
  CHECK(out["arrivals"]["span_ns"] == 500'000'000);
  CHECK(out["blocks"]["references"] == 4);
  CHECK(out["blocks"]["ideal_hit_ratio"] == 0.25);
  CHECK(out["blocks"]["hits_after_miss"] == 0);

  folder.write("c.csv", csv);
  const json lengths = json::parse(call({"info", "c.csv", "--json"}, folder).out);
  CHECK(lengths["blocks"].is_null());
  const json one = json::parse(call({"info", "c.csv", "--json", "--limit", "1"}, folder).out);
  CHECK(one["requests"] == 1);
  CHECK(one["arrivals"]["requests_per_second"].is_null());
}

TEST_CASE("trace convert writes the whole file or nothing") {
  const TemporaryFolder folder;
  folder.write("c.csv", csv);
  const ProcessResult done =
      call({"convert", "c.csv", "--to", "llmservingsim", "-o", "w.jsonl"}, folder);
  CHECK(done.exit_code == 0);
  CHECK(done.err.empty());
  CHECK_THAT(done.out, Contains("2 requests written to w.jsonl"));
  CHECK(read_file(folder.path() / "w.jsonl") ==
        "{\"input_toks\": 100, \"output_toks\": 10, \"arrival_time_ns\": 500000000}\n"
        "{\"input_toks\": 300, \"output_toks\": 20, \"arrival_time_ns\": 1250000000}\n");

  // A fault in the last line: the old file stays, nothing lies about.
  folder.write("bad.csv", csv + "2,-1,5\n");
  const auto before = TemporaryFolder::names(folder.path());
  const ProcessResult bad = call({"convert", "bad.csv", "--to", "csv", "-o", "w.jsonl"}, folder);
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.err, Contains("bad.csv:4: field \"prompt_tokens\""));
  CHECK(TemporaryFolder::names(folder.path()) == before);
  CHECK_THAT(read_file(folder.path() / "w.jsonl"), Contains("input_toks"));

  // A trace can replace itself.
  CHECK(call({"convert", "c.csv", "--to", "csv", "-o", "c.csv"}, folder).exit_code == 0);
  CHECK(read_file(folder.path() / "c.csv") == csv);
}

TEST_CASE("trace convert drops what it may, and says so") {
  const TemporaryFolder folder;
  folder.write("c.csv", "arrival_s,prompt_tokens,output_tokens\n0.0005,100,10\n");
  const std::vector<std::string> wish{"convert", "c.csv", "--to", "mooncake", "-o", "m.jsonl"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), wish.begin(), wish.end());
    return call(more, folder);
  };
  const ProcessResult keyless = with({});
  CHECK(keyless.exit_code == 2);
  CHECK_THAT(keyless.err, Contains("--unshared"));
  const ProcessResult fine = with({"--unshared"});
  CHECK(fine.exit_code == 2);
  CHECK_THAT(fine.err, Contains("--drop time_digits"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "m.jsonl"));
  const ProcessResult done = with({"--unshared", "--drop", "token_ids,time_digits"});
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.err, Contains("note: m.jsonl: without times finer than a millisecond of 1"));
  CHECK_THAT(read_file(folder.path() / "m.jsonl"), Contains("\"timestamp\": 0,"));

  const ProcessResult wrong = with({"--drop", "tokens"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("trace convert --help"));
}

TEST_CASE("trace make gives the same bytes for the same seed") {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all{
        "make",           "multi_turn", "--drop",      "time_digits", "--set",
        "block_size=512", "--set",      "requests=50", "-o",          out};
    all.insert(all.end(), more.begin(), more.end());
    return call(all, folder);
  };
  CHECK(make("a", {"--seed", "3"}).exit_code == 0);
  CHECK(make("b", {"--seed", "3"}).exit_code == 0);
  CHECK(make("c", {"--seed", "4"}).exit_code == 0);
  CHECK(read_file(folder.path() / "a") == read_file(folder.path() / "b"));
  CHECK(read_file(folder.path() / "a") != read_file(folder.path() / "c"));
  CHECK(json::parse(call({"info", "a", "--json"}, folder).out)["requests"] == 50);

  const ProcessResult typo = make("d", {"--set", "turn=8"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, Contains("Did you mean \"turns\"?"));
  const ProcessResult low = make("d", {"--set", "turns=0"});
  CHECK(low.exit_code == 2);
  CHECK_THAT(low.err, Contains("from 1 to 1000000, got 0"));
  const ProcessResult both = make("d", {"--set", "context_limit=10"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("context_limit 10"));
  const ProcessResult kind = call({"make", "multiturn", "-o", "d"}, folder);
  CHECK(kind.exit_code == 2);
  CHECK_THAT(kind.err, Contains("Did you mean \"multi_turn\"?"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "d"));
}

TEST_CASE("wrong arguments of trace commands are told with the right help") {
  const TemporaryFolder folder;
  const auto err = [&](const std::vector<std::string>& arguments) {
    const ProcessResult result = call(arguments, folder);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(
      err({}),
      Contains("A command is missing: one of info, convert, make. See vacancy trace --help."));
  CHECK_THAT(err({"inof"}), Contains("Did you mean \"info\"? See vacancy trace --help."));
  CHECK_THAT(err({"info"}), Contains("See vacancy trace info --help."));
  CHECK_THAT(err({"info", "x", "--formt", "csv"}), Contains("Did you mean \"--format\"?"));
  CHECK_THAT(err({"info", "none.csv"}), Contains("none.csv: there is no such file"));
  CHECK_THAT(err({"info", "."}), Contains("is a folder"));
  CHECK_THAT(err({"info", "x", "--block-size", "0"}), Contains("--block-size"));
  CHECK_THAT(err({"info", "shared:none.csv"}), Contains("VACANCY_SHARED_DIR"));
  folder.write("c.csv", csv);
  CHECK_THAT(err({"convert", "c.csv", "--to", "cvs", "-o", "x"}), Contains("\"csv\""));
  CHECK_THAT(err({"convert", "c.csv", "--to", "csv", "-o", "x.gz"}), Contains(".gz"));
  CHECK_THAT(err({"convert", "c.csv", "--to", "csv", "-o", "."}), Contains("is a folder"));
  CHECK_THAT(err({"convert", "c.csv", "--to", "csv"}), Contains("--out is required"));
  CHECK_THAT(err({"info", "c.csv", "--format", "asure"}), Contains("Did you mean \"azure\"?"));
}
