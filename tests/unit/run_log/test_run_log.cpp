// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/run_log.hpp"
#include "sim/units/error.hpp"
#include "tests/unit/run_log/made_log.hpp"

using namespace vacancy;
using Catch::Contains;
using vacancy::test::MadeLog;

namespace {

std::string fault_of(const MadeLog& made) {
  try {
    read_run_log(made.folder());
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a log is read whole") {
  const MadeLog made;
  const RunLog log = read_run_log(made.folder());
  CHECK(log.meta.model == "made");
  CHECK(log.meta.engine == "vLLM 0.0");
  CHECK(log.meta.device == "made");
  CHECK(log.meta.device_memory == Bytes(1'024));
  CHECK(log.meta.workload_sha256 == "ab12");
  CHECK(log.meta.blocks == 11);
  CHECK(log.meta.usable_blocks() == 10);
  CHECK(log.meta.block_size == 16);
  CHECK(log.meta.max_num_seqs == 256);
  CHECK(log.meta.max_num_batched_tokens == 2'048);
  CHECK(log.meta.prefix_caching);
  CHECK(log.meta.async_scheduling);
  CHECK(log.meta.full_sequence_gate);
  CHECK(log.meta.tick == SimTime(1'000'000'000));
  REQUIRE(log.requests.size() == 3);
  CHECK(log.requests[2].id == "c");
  CHECK(log.requests[2].prompt_tokens == 30);
  REQUIRE(log.ticks.size() == 2);
  CHECK(log.ticks[1].time == SimTime(2'000'000'000));
  CHECK(log.ticks[1].output_tokens == 4);
  CHECK(log.ticks[1].kv_hundredths == 9'997);
}

TEST_CASE("stamps start at the first queued request, arrivals at the smallest lag behind it") {
  const MadeLog made;
  const RunLog log = read_run_log(made.folder());
  CHECK(log.requests[0].queued == SimTime(0));
  CHECK(log.requests[0].scheduled == SimTime(100'000'000));
  CHECK(log.requests[2].last_token == SimTime(1'750'000'000));
  // queued - arrival_time: -949.75, -949.85, -949.5; the smallest is the second.
  CHECK(log.requests[1].arrival == log.requests[1].queued);
  CHECK(log.requests[0].arrival == SimTime(-100'000'000));
  CHECK(log.requests[2].arrival == SimTime(650'000'000));
}

TEST_CASE("times of a log follow the definitions of its own summary") {
  const MadeLog made;
  const auto times = read_run_log(made.folder()).times();
  CHECK(times[0].ttft() == 500'000'000);
  CHECK(times[0].tpot() == 500'000'000.0);
  CHECK(times[0].e2e() == 1'500'000'000);
  CHECK(times[0].queue() == 100'000'000);
  CHECK_FALSE(times[1].tpot());
}

TEST_CASE("each fault of a log is found, placed and explained") {
  struct Row {
    const char* file;
    const char* from;
    const char* to;
    const char* place;
    const char* sentence;
  };
  const Row rows[] = {
      {"meta.json", "\"schema_version\": 1", "\"schema_version\": 2", "/schema_version",
       "only version 1"},
      {"meta.json", "\"schema_version\": 1,", "", "/schema_version", "is missing"},
      {"meta.json", "\"num_requests\": 3", "\"num_requests\": 4", "requests.jsonl",
       "has 3 requests, but meta.json says 4"},
      {"meta.json", "\"num_requests\": 3", "\"num_requests\": 3.5", "/num_requests",
       "expected an integer"},
      {"meta.json", "\"tick_seconds\": 1.0", "\"tick_seconds\": 0", "/tick_seconds",
       "expected a number"},
      {"meta.json", "\"max_num_seqs\": 256", "\"max_num_seqs\": 0", "/engine_kwargs/max_num_seqs",
       "expected an integer from 1"},
      {"meta.json", "\"num_gpu_blocks\": 11", "\"num_gpu_blocks\": \"many\"",
       "/kv_cache/num_gpu_blocks", "expected an integer"},
      {"meta.json", "\"num_kv_tokens\": 176", "\"num_kv_tokens\": 177", "/kv_cache/num_kv_tokens",
       "is not num_gpu_blocks times block_size, 176"},
      {"meta.json", "\"kv_cache\"", "\"cache\"", "/kv_cache", "is missing"},
      {"meta.json", "\"async_scheduling\": true", "\"async_scheduling\": 1",
       "/resolved_config/scheduler_config/async_scheduling", "expected true or false"},
      {"meta.json", "\"num_requests\": 3", "\"num_requests\": 3, \"num_requests\": 3", "meta.json",
       "stands twice"},
      {"meta.json", "{", "[", "meta.json", "is not JSON"},
      {"requests.jsonl", "\"input_toks\": 20", "\"input_toks\": 20.5", ":2", "input_toks"},
      {"requests.jsonl", "\"input_toks\": 20", "\"input_toks\": -20", ":2", "input_toks"},
      {"requests.jsonl", "\"output_toks\": 1", "\"output_toks\": 0", ":2", "at least one token"},
      {"requests.jsonl", "\"input_toks\": 20, ", "", ":2", "input_toks"},
      {"requests.jsonl", "\"input_toks\": 20", "\"input_toks\": 21", "timeseries.csv",
       "prompt tokens add up to 60, but those of requests.jsonl to 61"},
      {"requests.jsonl", "\"output_toks\": 3", "\"output_toks\": 4", "timeseries.csv",
       "generated tokens add up to 6, but those of requests.jsonl to 7"},
      {"requests.jsonl", "\"scheduled_ts\": 51.0", "\"scheduled_ts\": 50.8", ":2",
       "lies before queued_ts"},
      {"requests.jsonl", "\"first_token_ts\": 51.0", "\"first_token_ts\": 50.6", ":1",
       "does not lie after scheduled_ts"},
      {"requests.jsonl", "\"last_token_ts\": 52.0", "\"last_token_ts\": 51.0", ":1",
       "does not lie after first_token_ts"},
      {"requests.jsonl", "\"last_token_ts\": 51.5", "\"last_token_ts\": 51.6", ":2",
       "there is one token"},
      {"requests.jsonl", "\"queued_ts\": 51.5", "\"queued_ts\": 50.0", ":3",
       "lies before that of the line above"},
      {"requests.jsonl", "\"arrival_time\": 1000.75", "\"arrival_time\": null", ":2",
       "arrival_time"},
      {"requests.jsonl", "51.75, \"last_token_ts\": 52.25}", "51.75, \"last_tok", ":3", "cut off"},
      {"timeseries.csv", "waiting", "waitng", "timeseries.csv", "waiting"},
      {"timeseries.csv", "1.0,40.0", "1.0,40.5", ":2", "prompt_throughput"},
      {"timeseries.csv", "1.0,40.0", "1.0,-40.0", ":2", "prompt_throughput"},
      {"timeseries.csv", "2,1,20.0", "2.5,1,20.0", ":2", "running"},
      {"timeseries.csv", "99.97", "100.01", ":3", "kv_cache_pct"},
      {"timeseries.csv", "\n2.0,", "\n3.0,", ":3", "is not the next tick"},
      {"timeseries.csv", "0,0,99.97", "0,99.97", ":3", "5 fields"},
  };
  for (const Row& row : rows) {
    const MadeLog made;
    made.replace(row.file, row.from, row.to);
    const std::string fault = fault_of(made);
    INFO(row.file << ": " << row.from << " -> " << row.to << "\n" << fault);
    CHECK_THAT(fault, Contains(row.place) && Contains(row.sentence));
  }
}

TEST_CASE("files that are missing, empty or folders are named") {
  for (const char* file : {"meta.json", "requests.jsonl", "timeseries.csv"}) {
    INFO(file);
    const MadeLog gone;
    std::filesystem::remove(gone.folder() / file);
    CHECK_THAT(fault_of(gone), Contains(file));
    const MadeLog empty;
    empty.write(file, "");
    CHECK_THAT(fault_of(empty), Contains(file));
    const MadeLog folder;
    std::filesystem::remove(folder.folder() / file);
    std::filesystem::create_directory(folder.folder() / file);
    CHECK_THAT(fault_of(folder), Contains(file));
  }
}

TEST_CASE("no mutation of a log's bytes crashes the reader") {
  const std::pair<const char*, std::string_view> files[] = {{"meta.json", MadeLog::meta},
                                                            {"requests.jsonl", MadeLog::requests},
                                                            {"timeseries.csv", MadeLog::ticks}};
  const MadeLog made;
  for (const auto& [file, text] : files) {
    // Few, as each is a file that is written anew.
    constexpr std::string_view bytes("\0009-\"{\n\xff", 7);
    for (std::size_t i = 0; i < text.size(); i += 19) {
      std::string changed(text);
      changed[i] = bytes[i % bytes.size()];
      made.write(file, changed);
      fault_of(made);
      made.write(file, text.substr(0, i));
      fault_of(made);
    }
    made.write(file, text);
  }
  CHECK(fault_of(made).empty());
}
