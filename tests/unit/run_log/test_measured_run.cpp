// SPDX-License-Identifier: Apache-2.0
// The RTX 4090 run: rows G-1, G-3 and G-10 to G-12 of published §9, observables of rtx4090_run §1.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/metrics/latency.hpp"
#include "sim/run_log/run_log.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

constexpr const char* run_folder = "data/vllm-runs/rtx4090-llama-3.1-8b";

double seconds(SimTime time) {
  return static_cast<double>(time.value()) / 1e9;
}

}  // namespace

TEST_CASE("G-1: a pool of 2,588 blocks, 41,408 tokens, 5.05 GiB") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  const RunLogMeta meta = read_run_log(*folder).meta;
  CHECK(meta.blocks == 2'588);
  CHECK(meta.usable_blocks() == 2'587);
  CHECK(meta.blocks * meta.block_size == 41'408);
  CHECK(41'408.0 * 131'072 / (1 << 30) == Approx(5.05).margin(0.005));
  CHECK(meta.engine == "vLLM 0.19.0");
  CHECK(meta.max_num_seqs == 256);
  CHECK(meta.max_num_batched_tokens == 2'048);
  CHECK(meta.prefix_caching);
  CHECK(meta.async_scheduling);
  CHECK(meta.full_sequence_gate);
  CHECK(meta.device_memory == Bytes(25'250'627'584));
}

TEST_CASE("G-3: 257,239 prompt and 195,753 generated tokens; 300 requests, 184 ticks") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  const RunLog log = read_run_log(*folder);
  CHECK(log.requests.size() == 300);
  CHECK(log.ticks.size() == 184);
  std::uint64_t prompt = 0, output = 0;
  for (const MeasuredTick& tick : log.ticks) {
    prompt += tick.prompt_tokens;
    output += tick.output_tokens;
  }
  CHECK(prompt == 257'239);
  CHECK(output == 195'753);
}

TEST_CASE("two clocks: request 0 arrives 1.8 ms early, request 1 at 0.2632 s and waits") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  const RunLog log = read_run_log(*folder);
  CHECK(seconds(log.requests[0].arrival) == Approx(-0.0018).margin(0.0001));
  CHECK(seconds(log.requests[1].arrival) == Approx(0.2632).margin(0.0001));
  CHECK(seconds(log.requests[1].queued) == Approx(0.3869).margin(0.0001));
  for (const MeasuredRequest& request : log.requests)
    CHECK(request.arrival <= request.queued);
  CHECK(seconds(throughput_figures(log.times()).makespan) == Approx(183.567).margin(0.001));
}

TEST_CASE("gauges are multiples of a block of the 2,587 usable ones") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  for (const MeasuredTick& tick : read_run_log(*folder).ticks) {
    const double blocks = tick.kv_hundredths * 2'587 / 10'000.0;
    CHECK(std::abs(blocks - std::round(blocks)) <= 0.5 * 2'587 / 10'000);
  }
}

TEST_CASE("stamps up to 92 s: 225 ends of steps") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  std::set<SimTime> stamps;
  for (const MeasuredRequest& request : read_run_log(*folder).requests)
    for (const SimTime stamp : {request.first_token, request.last_token})
      if (stamp <= SimTime(92'000'000'000)) stamps.insert(stamp);
  CHECK(stamps.size() == 225);
}

TEST_CASE("G-10 to G-12: the percentiles of summary.txt, from requests.jsonl") {
  const auto folder = test::shared_file(run_folder);
  if (!folder) return;
  const LatencyFigures figures = latency_figures(read_run_log(*folder).times(), {});
  std::ifstream summary(*folder / "summary.txt");
  int compared = 0;
  for (std::string line; std::getline(summary, line);) {
    std::istringstream words(line);
    std::string metric, statistic;
    double printed = 0;
    if (!(words >> metric >> statistic >> printed)) continue;
    const Distribution& figure = metric == "TTFT"   ? figures.ttft
                                 : metric == "TPOT" ? figures.tpot
                                                    : figures.e2e;
    const std::optional<double>& value = statistic == "Mean"     ? figure.mean
                                         : statistic == "Median" ? figure.p50
                                         : statistic == "P90"    ? figure.p90
                                         : statistic == "P95"    ? figure.p95
                                                                 : figure.p99;
    INFO(line);
    CHECK(*value / 1e6 == Approx(printed).margin(0.0501));
    ++compared;
  }
  CHECK(compared == 15);
}
