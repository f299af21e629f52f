// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/units/error.hpp"
#include "sim/workload/trace/formats.hpp"
#include "sim/workload/trace/writer.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/workload/trace/made_trace.hpp"
#include "tests/unit/workload/trace/trace_files.hpp"

using namespace vacancy;
using test::MadeTrace;

namespace {

using Keys = std::vector<std::uint64_t>;

TraceWriterOptions dropping(std::set<TraceLoss> losses) {
  TraceWriterOptions options;
  options.allowed_losses = std::move(losses);
  return options;
}

std::string written(TraceReader& trace, const std::string& target,
                    const TraceWriterOptions& options = {}) {
  std::ostringstream out;
  const auto writer = named_trace_target(target).open(trace.info(), options, out);
  TraceRequest request;
  while (trace.next(request))
    writer->write(request);
  return out.str();
}

std::string written(const std::filesystem::path& path, const std::string& target,
                    const TraceWriterOptions& options = {}, const TraceOptions& read = {}) {
  return written(*open_trace(path, read), target, options);
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string refusal(TraceReader& trace, const std::string& target,
                    const TraceWriterOptions& options = {}) {
  try {
    written(trace, target, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a written trace of each format reads back as it was", "[trace]") {
  const test::TemporaryFolder folder;
  const std::vector<TraceRequest> requests = {
      {SimTime(0), 700, 5, {0, 1}, {}, {}},
      {SimTime(3'000'000), 1024, 0, {0, 2}, {}, {}},
      {SimTime(3'000'000), 0, 1, {}, {}, {}},
      {SimTime(9'223'372'036'854'000'000), 1u << 30, 1u << 30, {3}, {}, {}}};
  for (const std::string target : {"mooncake", "llmservingsim", "csv"}) {
    INFO(target);
    const bool keys = target == "mooncake";
    std::vector<TraceRequest> some = requests;
    if (keys) some.back().prompt_tokens = 512;  // not two million blocks
    MadeTrace trace(some, {"made", keys ? 512u : 0u, false});
    const auto back = test::read_all(folder.write(target, written(trace, target)));
    REQUIRE(back.size() == some.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      CHECK(back[i].arrival == some[i].arrival);
      CHECK(back[i].prompt_tokens == some[i].prompt_tokens);
      CHECK(back[i].output_tokens == some[i].output_tokens);
      if (keys) CHECK(back[i].block_keys == some[i].block_keys);
    }
  }
}

TEST_CASE("times keep every nanosecond in csv and llmservingsim", "[trace]") {
  const test::TemporaryFolder folder;
  const std::vector<TraceRequest> requests = {{SimTime(1), 1, 1, {}, {}, {}},
                                              {SimTime(999'999'999), 1, 1, {}, {}, {}},
                                              {SimTime(1'000'000'000), 1, 1, {}, {}, {}},
                                              {SimTime(52'000'100'000), 1, 1, {}, {}, {}},
                                              {SimTime(9'007'199'254'740'993), 1, 1, {}, {}, {}}};
  for (const std::string target : {"llmservingsim", "csv"}) {
    MadeTrace trace(requests);
    const auto back = test::read_all(folder.write(target, written(trace, target)));
    REQUIRE(back.size() == requests.size());
    for (std::size_t i = 0; i < back.size(); ++i)
      CHECK(back[i].arrival == requests[i].arrival);
  }
  MadeTrace trace(requests);
  CHECK(written(trace, "csv") ==
        "arrival_s,prompt_tokens,output_tokens\n0.000000001,1,1\n0.999999999,1,1\n1,1,1\n"
        "52.0001,1,1\n9007199.254740993,1,1\n");
}

TEST_CASE("mooncake ids count up by first appearance; blocks without a key get their own",
          "[trace]") {
  MadeTrace trace({{SimTime(0), 2000, 5, {90, 70, 80}, {}, {}},   // the fourth is partial
                   {SimTime(0), 1536, 5, {90, 70, 10}, {}, {}}},  // no partial one
                  {"made", 512, false});
  CHECK(written(trace, "mooncake") ==
        R"({"timestamp": 0, "input_length": 2000, "output_length": 5, "hash_ids": [0, 1, 2, 3]})"
        "\n"
        R"({"timestamp": 0, "input_length": 1536, "output_length": 5, "hash_ids": [0, 1, 4]})"
        "\n");
}

TEST_CASE("what a format cannot hold is refused, or dropped and counted", "[trace]") {
  const std::vector<TraceRequest> timed = {{SimTime(0), 5, 1, {}, {}, {}},
                                           {SimTime(1'999'999), 5, 1, {}, {}, {}}};
  const std::vector<TraceRequest> with_ids = {{SimTime(0), 2, 1, {}, {7, 8}, {9}}};
  const std::vector<TraceRequest> with_keys = {{SimTime(0), 32, 1, {4, 5}, {}, {}}};

  SECTION("times") {
    MadeTrace trace(timed, {"made", 512, false}), again(timed, {"made", 512, false});
    CHECK_THAT(refusal(trace, "mooncake"), Catch::Contains("request 2 arrives at 1999999 ns") &&
                                               Catch::Contains("--drop time_digits"));
    CHECK_THAT(written(again, "mooncake", dropping({TraceLoss::time_digits})),
               Catch::Contains("\"timestamp\": 1,"));  // down
  }
  SECTION("token ids") {
    for (const char* target : {"mooncake", "csv"}) {
      MadeTrace trace(with_ids, {"made", 512, true}), again(with_ids, {"made", 512, true});
      CHECK_THAT(refusal(trace, target),
                 Catch::Contains("the token ids") && Catch::Contains("--drop token_ids"));
      CHECK(refusal(again, target, dropping({TraceLoss::token_ids})).empty());
    }
    MadeTrace trace(with_ids, {"made", 0, true});
    CHECK(
        written(trace, "llmservingsim") ==
        R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 0, "input_tok_ids": [7, 8], "output_tok_ids": [9]})"
        "\n");
  }
  SECTION("block keys") {
    for (const char* target : {"llmservingsim", "csv"}) {
      MadeTrace trace(with_keys, {"made", 16, false});
      CHECK_THAT(refusal(trace, target), Catch::Contains("--drop block_keys"));
    }
  }
  SECTION("the block size") {
    MadeTrace trace(with_keys, {"made", 16, false}), again(with_keys, {"made", 16, false});
    CHECK_THAT(refusal(trace, "mooncake"), Catch::Contains("--drop block_size"));
    CHECK_THAT(written(again, "mooncake", dropping({TraceLoss::block_size})),
               Catch::Contains("[0, 1]"));
  }
  SECTION("blocks that are not known") {
    MadeTrace trace(timed), again(timed);
    CHECK_THAT(refusal(trace, "mooncake"), Catch::Contains("--unshared"));
    TraceWriterOptions options = dropping({TraceLoss::time_digits});
    options.unshared_blocks = true;
    const std::string text = written(again, "mooncake", options);
    CHECK_THAT(text, Catch::Contains("[0]") && Catch::Contains("[1]"));
  }
  SECTION("what is dropped is counted") {
    std::ostringstream out;
    const auto writer =
        named_trace_target("mooncake")
            .open({"made", 16, true},
                  dropping({TraceLoss::time_digits, TraceLoss::token_ids, TraceLoss::block_size}),
                  out);
    for (const TraceRequest& request : timed)
      writer->write(request);
    CHECK(writer->lost(TraceLoss::time_digits) == 1);
    CHECK(writer->lost(TraceLoss::token_ids) == 2);
    CHECK(writer->lost(TraceLoss::block_size) == 2);
    CHECK(writer->lost(TraceLoss::block_keys) == 0);
  }
}

TEST_CASE("there and back: all that both formats hold stays", "[trace]") {
  const test::TemporaryFolder folder;
  // Claude Code -> Mooncake: lengths, order, sharing; milliseconds.
  const auto source = folder.write(
      "c", R"({"id": "a", "block_size": 64, "requests": [)"
           R"({"t": 0.5, "type": "n", "in": 200, "out": 5, "hash_runs": [[1, 3]]},)"
           R"({"t": 1.25, "type": "n", "in": 260, "out": 6, "hash_runs": [[1, 3], [9, 1]]}]})"
           "\n");
  TraceOptions by_64;
  by_64.block_size = 64;
  const auto mooncake =
      folder.write("m", written(source, "mooncake", dropping({TraceLoss::block_size})));
  const auto read = test::read_all(mooncake, by_64);
  REQUIRE(read.size() == 2);
  CHECK(read[0].arrival == SimTime(500'000'000));
  CHECK(read[1].arrival == SimTime(1'250'000'000));
  CHECK(read[0].block_keys == Keys{0, 1, 2, 3});  // 3: the partial block, shared with nobody
  CHECK(read[1].block_keys == Keys{0, 1, 2, 4, 5});
  // And again: ids are stable from the first writing on.
  CHECK(written(mooncake, "mooncake", dropping({TraceLoss::block_size}), by_64) ==
        content(mooncake));

  const auto lengths = folder.write(
      "l", written(mooncake, "llmservingsim", dropping({TraceLoss::block_keys}), by_64));
  CHECK(written(folder.write("k", written(lengths, "csv")), "llmservingsim") == content(lengths));
}

TEST_CASE("the public traces survive being written in their own format, byte by byte",
          "[trace][published]") {
  if (const auto path = test::shared_file("data/mooncake/conversation_trace.jsonl"))
    CHECK(written(*path, "mooncake") == content(*path));
  if (const auto path = test::shared_file("data/vllm-runs/sharegpt-llama-3.1-8b-300-sps10.jsonl"))
    CHECK(written(*path, "llmservingsim") == content(*path));
  if (const auto path = test::shared_file("data/azure/AzureLLMInferenceTrace_code.csv")) {
    const test::TemporaryFolder folder;
    const auto back = test::read_all(folder.write("a.csv", written(*path, "csv")));
    const auto original = test::read_all(*path);
    REQUIRE(back.size() == original.size());
    for (std::size_t i = 0; i < back.size(); ++i)
      REQUIRE((back[i].arrival == original[i].arrival &&
               back[i].prompt_tokens == original[i].prompt_tokens &&
               back[i].output_tokens == original[i].output_tokens));
  }
}

TEST_CASE("every target describes itself, is a format that can be read, and is found by name",
          "[trace]") {
  for (const TraceTargetEntry& entry : trace_targets()) {
    CHECK(&named_trace_target(entry.info.name) == &entry);
    CHECK(find_trace_format(entry.info.name) != nullptr);
    CHECK(entry.info.summary.ends_with('.'));
  }
  CHECK_THROWS_WITH(named_trace_target("mooncak"), Catch::Contains("Did you mean \"mooncake\"?"));
}
