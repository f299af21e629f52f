// SPDX-License-Identifier: Apache-2.0
// `vacancy replay`, and `vacancy run --keep-sets`, as a user and a script see them.
#include <catch2/catch.hpp>
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

json json_of(const std::vector<std::string>& arguments) {
  const ProcessResult result = vacancy::test::vacancy(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

json result_of(const json& replayed, const std::string& table, const std::string& kind) {
  for (const json& result : replayed["files"][0]["results"])
    if (result["table"] == table && result["kind"] == kind) return result;
  return nullptr;
}

}  // namespace

TEST_CASE("keep sets of a run replay to its figures, byte for byte recorded alike") {
  const TemporaryFolder folder;
  const std::string npz = (folder.path() / "kept.npz").string();
  const std::string lines = (folder.path() / "kept.jsonl").string();
  const json run = json_of(
      {"run", evict, "--set", "reclaim.kind=slide", "--keep-sets", npz, "--json", "--quiet"});
  const std::string first = read_file(npz);
  json_of({"run", evict, "--keep-sets", npz, "--json", "--quiet"});
  CHECK(read_file(npz) == first);
  json_of({"run", evict, "--keep-sets", lines, "--json", "--quiet"});
  for (const std::string& file : {npz, lines}) {
    const json replayed = json_of({"replay", file, "--model", "qwen3-8b", "--json"});
    const json slide = result_of(replayed, "shared", "slide");
    CHECK(slide["reclaim"] == run["reclaim"]);
    CHECK(slide["memory"]["kv_peak_blocks"] == 1000);
    CHECK(slide["memory"]["kv_end_blocks"] == 125);
    CHECK(result_of(replayed, "shared", "none")["reclaim"]["blocks_freed_by_eviction"] == 122);
    const json whole = result_of(replayed, "shared", "whole_block");
    CHECK(whole["applies"] == false);
    CHECK_THAT(whole["obstacle"].get<std::string>(), Contains("of the 16 tokens in a block"));
    // One set stands on 36 tables of a layer each, and the figures with it.
    CHECK(result_of(replayed, "per_layer", "slide")["reclaim"]["blocks_freed_by_eviction"] ==
          36 * 875);
    CHECK(replayed["files"][0]["scope"] == "model");
    CHECK(replayed["files"][0]["layers"] == 36);
    CHECK(replayed["together"].size() == replayed["files"][0]["results"].size());
  }
}

TEST_CASE("docs/replay.md shows what the program prints") {
  const TemporaryFolder folder;
  const std::string kept = (folder.path() / "kept.npz").string();
  json_of({"run", evict, "--keep-sets", kept, "--json", "--quiet"});
  const ProcessResult result =
      vacancy::test::vacancy({"replay", kept, "--table", "shared", "--model", "qwen3-8b"});
  const std::string page = read_file(vacancy::test::source_dir() / "docs" / "replay.md");
  for (const char* const start : {"\nreclaim ", "\nnone ", "\nslide ", "\nfill_holes ",
                                  "\nfullest_blocks ", "\nwhole_block ", "\n– whole_block"}) {
    const std::size_t at = page.find(start);
    REQUIRE(at != std::string::npos);
    CHECK_THAT(result.out, Contains(page.substr(at, page.find('\n', at + 1) - at)));
  }
}

TEST_CASE("the report counts one token as one") {
  const TemporaryFolder folder;
  const std::string file = folder.write("one.jsonl", "{\"length\": 1, \"keep\": []}\n");
  CHECK_THAT(vacancy::test::vacancy({"replay", file}).out, Contains(": 1 token evicted, "));
}

TEST_CASE("the report has a paragraph for each table and block size") {
  const TemporaryFolder folder;
  const std::string file = folder.write("kept.jsonl",
                                        "{\"length\": 8, \"keep\": [[[0, 1, 2, 3], [0, 5]]]}\n"
                                        "{\"length\": 12, \"keep\": [[[0, 8], [0, 8]]]}\n"
                                        "{\"length\": 13}\n");
  const ProcessResult result =
      vacancy::test::vacancy({"replay", file, "--block-size", "4", "--block-size", "1"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out,
             StartsWith(file + ": 13 tokens, 2 rounds. Keep sets: one for each of 2 KV"));
  // The heads drop 4 and 6 tokens, then 6 and 4; the mean of both counts.
  CHECK_THAT(result.out, Contains("Tables shared, blocks of 1: 10 tokens evicted, 10 vacated."));
  CHECK_THAT(result.out, Contains("Tables per_layer_per_head, blocks of 4: "));
  CHECK_THAT(result.out, Contains("step 0, head 1 keeps 1 of the 4 tokens in"));
  CHECK_THAT(result.out, !Contains("bytes moved"));
  const ProcessResult one = vacancy::test::vacancy(
      {"replay", file, "--table", "shared", "--reclaim", "slide", "--model", "qwen3-8b"});
  CHECK(one.exit_code == 2);
  CHECK_THAT(one.err, Contains("was recorded from a model of 2 KV heads, and Qwen3-8B has 8"));
}

TEST_CASE("several sequences have figures of their own and together") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.jsonl", "{\"length\": 32, \"keep\": [0, 1]}\n");
  const std::string b = folder.write("b.jsonl", "{\"length\": 48, \"keep\": [20]}\n");
  const json both = json_of({"replay", a, b, "--json", "--table", "shared"});
  CHECK(both["files"].size() == 2);
  const auto together = [&](const std::string& kind) {
    for (const json& result : both["together"])
      if (result["kind"] == kind) return result;
    return json();
  };
  // a: the second of two blocks; b: the first and the third of three.
  CHECK(together("none")["reclaim"]["blocks_freed_by_eviction"] == 3);
  CHECK(together("none")["reclaim"]["evicted_tokens"] == 30 + 47);
  CHECK(together("none")["reclaim"]["bytes_moved"].is_null());
  CHECK(!together("none").contains("memory"));
  CHECK(together("slide")["reclaim"]["moved_tokens"] == 1);
  CHECK_THAT(vacancy::test::vacancy({"replay", a, b}).out, Contains("Together, 2 sequences:"));
  const std::string other = folder.write("c.jsonl", "{\"length\": 4, \"keep\": [[[0], [1]]]}\n");
  const ProcessResult mixed = vacancy::test::vacancy({"replay", a, other});
  CHECK(mixed.exit_code == 2);
  CHECK_THAT(mixed.err, Contains("c.jsonl: has keep sets of other layers and heads"));
}

TEST_CASE("copying out is sliding for a sequence alone, and is replayed if it is named") {
  const TemporaryFolder folder;
  const std::string file = folder.write("kept.jsonl", "{\"length\": 48, \"keep\": [20, 40]}\n");
  CHECK(result_of(json_of({"replay", file, "--json"}), "shared", "copy_out").is_null());
  const json named =
      json_of({"replay", file, "--reclaim", "copy_out", "--reclaim", "slide", "--json"});
  json copied = result_of(named, "shared", "copy_out"), slid = result_of(named, "shared", "slide");
  REQUIRE(!copied.is_null());
  copied.erase("kind");
  slid.erase("kind");
  CHECK(copied == slid);
}

TEST_CASE("whole blocks apply where all that is kept is whole") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("whole.jsonl", "{\"length\": 10, \"keep\": [4, 5, 6, 7, 8, 9]}\n");
  const json result = json_of({"replay", file, "--block-size", "4", "--reclaim", "whole_block",
                               "--table", "shared", "--json"})["files"][0]["results"][0];
  CHECK(result["applies"] == true);
  CHECK(result["reclaim"]["blocks_freed_by_eviction"] == 1);
  CHECK(result["reclaim"]["reclaim_efficiency"] == 1.0);
}

TEST_CASE("what cannot be recorded or replayed is said") {
  const TemporaryFolder folder;
  const std::string kept = (folder.path() / "kept.npz").string();
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
    const ProcessResult result = vacancy::test::vacancy(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(part));
  };
  refused({"run", evict, "--keep-sets", "kept.txt"}, "End it in .npz or .jsonl");
  refused({"run", evict, "--keep-sets", kept, "--keep-sets-sequence", "1"},
          "the scenario has 1 sequence, counted from 0");
  refused({"run", evict, "--keep-sets-sequence", "0"}, "requires --keep-sets");
  refused({"run", "scenarios/serving/chats_and_prefixes.json", "--keep-sets", kept},
          "run in an engine");
  refused({"replay", kept}, "there is no such file");
  refused({"replay", folder.path().string()}, "is a folder or a device");
  refused({"replay"}, "FILE is missing. See vacancy replay --help.");
  refused({"replay", kept, "--block-size", "0"}, "from 1 to 4096");
  refused({"replay", kept, "--reclaim", "slid"}, "slid");
  CHECK(TemporaryFolder::names(folder.path()).empty());
}
