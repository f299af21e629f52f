// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using vacancy::test::ProcessResult;
using vacancy::test::TemporaryFolder;

namespace {

ProcessResult call(const std::vector<std::string>& arguments) {
  return vacancy::test::vacancy(arguments);
}

json json_of(const std::vector<std::string>& arguments) {
  const ProcessResult result = call(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("help and version go to standard output with exit code 0") {
  CHECK_THAT(call({"--version"}).out, StartsWith("vacancy "));
  const auto help = [](std::vector<std::string> arguments) {
    arguments.push_back("--help");
    const ProcessResult result =
        vacancy::test::vacancy(arguments, vacancy::test::source_dir(), {"COLUMNS=80"});
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
    return result.out;
  };
  const std::string all = help({});
  for (const char* command : {"run", "replay", "validate", "verify", "calibrate", "sweep", "list",
                              "schema", "size", "trace", "lesson", "conformance", "fit-cost"}) {
    CHECK_THAT(all, Contains(std::string("\n  ") + command));
    CHECK_THAT(help({command}), Contains("Example") && Contains(std::string("vacancy ") + command));
  }
}

TEST_CASE("list names what a scenario can name", "[slow]") {
  const json policies = json_of({"list", "policies", "--json"});
  const auto random = std::find_if(policies.begin(), policies.end(),
                                   [](const json& e) { return e["name"] == "random"; });
  REQUIRE(random != policies.end());
  CHECK_THAT((*random)["citation"].get<std::string>(), Contains("2609.03430"));
  const json& chunk = (*random)["parameters"].at(0);
  for (const char* key : {"name", "type", "unit", "default", "range", "help"})
    CHECK(chunk.contains(key));
  CHECK(chunk["default"] == 1);
  CHECK(chunk["range"] == json::array({1, 1048576}));

  for (const char* kind : {"policies", "reclaimers", "sources", "models", "scopes", "tables",
                           "triggers", "prompts", "lengths", "traces", "synthetic"}) {
    INFO(kind);
    const json entries = json_of({"list", kind, "--json"});
    CHECK(!entries.empty());
    for (const json& entry : entries)
      CHECK((entry["name"].is_string() && !entry["summary"].get<std::string>().empty() &&
             entry["parameters"].is_array()));
    CHECK_THAT(call({"list"}).out, Contains(kind));
    CHECK_THAT(call({"list", kind}).out, Contains(entries[0]["name"].get<std::string>()));
  }
  for (const auto& [kind, name, word] : {std::tuple("models", "qwen3-8b", "\"kv_heads\": 8"),
                                         std::tuple("devices", "h200", "4800 GB/s"),
                                         std::tuple("engines", "vllm-0.19.0", "\"base\": ")}) {
    const json file = json::parse(call({"list", kind, name}).out);
    CHECK(file.is_object());
    CHECK_THAT(call({"list", kind, name, "--json"}).out, Contains(word));
  }
  CHECK(json_of({"list", "policies", "random", "--json"}).size() == 1);
  CHECK_THAT(call({"list", "policies", "randm"}).err, Contains("Did you mean \"random\"?"));
  CHECK_THAT(call({"list", "engines", "vllm"}).err, Contains("no built-in engine profile"));
  const ProcessResult wrong = call({"list", "polices"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("Did you mean \"policies\"?"));
}

TEST_CASE("size does the arithmetic of published deployments") {
  const json qwen = json_of({"size", "--model", "qwen3-32b", "--memory", "6GiB", "--json"});
  CHECK(qwen["bytes_per_token"] == 262144);  // M-1
  CHECK(qwen["bytes_per_block"] == 4194304);
  CHECK(qwen["memory"]["blocks"] == 1536);
  CHECK(qwen["memory"]["tokens"] == 24576);  // M-2
  const json decimal = json_of({"size", "--model", "qwen3-32b", "--memory", "6GB", "--json"});
  CHECK(decimal["memory"]["tokens"] == 22880);  // 22,888 tokens in whole blocks

  const json heads = json_of({"size", "--model", "qwen3-8b", "--table", "per_layer_per_head",
                              "--tokens", "100", "--json"});
  CHECK(heads["tables_per_sequence"] == 36 * 8);
  CHECK(heads["sequence"]["blocks"] == 7 * 36 * 8);

  const ProcessResult text = call({"size", "--model", "gpt-oss-20b", "--tokens", "32768"});
  CHECK_THAT(text.out, Contains("12 full, 12 sliding") && Contains("at most 128 tokens: 3 MiB"));
  const ProcessResult wrong = call({"size", "--model", "qwen3-23b"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("qwen3-32b"));
  CHECK(call({"size", "--model", "qwen3-8b", "--dtype", "fp7"}).exit_code == 2);
  CHECK(call({"size", "--model", "qwen3-8b", "--memory", "six"}).exit_code == 2);
  CHECK(call({"size", "--model", "qwen3-8b", "--block-size", "0"}).exit_code == 2);
  CHECK(call({"size", "--model", "qwen3-8b", "--block-size", "010"}).exit_code == 2);
  CHECK(call({"size", "--model", "qwen3-8b", "--tokens", "0x10"}).exit_code == 2);
  CHECK_THAT(call({"size", "--model", "no/such/model"}).err, Contains("no such file"));
}

TEST_CASE("validate reports every file and every fault") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", R"({"workload": {"output_tokens": 8}})");
  const std::string bad = folder.write("bad.json",
                                       "{\n  \"sead\": 1,\n  \"cache\": {\"block_size\": 0},\n"
                                       "  \"workload\": {\"output_tokens\": 8}\n}");
  const ProcessResult result = call({"validate", bad, good});
  CHECK(result.exit_code == 2);
  CHECK(result.out == good + ": valid\n");
  CHECK_THAT(result.err, Contains("bad.json:2") && Contains("seed") && Contains("bad.json:3") &&
                             Contains("/cache/block_size"));
}

TEST_CASE("schema prints JSON Schema or a reference page") {
  const json schema = json_of({"schema"});
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK_THAT(call({"schema", "--markdown"}).out, Contains("| `cache.block_size` |"));
}
