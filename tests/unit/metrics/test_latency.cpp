// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/metrics/latency.hpp"
#include "sim/units/philox.hpp"

using namespace vacancy;

namespace {

Distribution describe_plain(const std::vector<std::int64_t>& values) {
  std::vector<Sample<std::int64_t>> samples;
  for (const std::int64_t value : values)
    samples.push_back({value, 1});
  return describe(std::move(samples));
}

RequestTimes request(std::int64_t queued, std::int64_t scheduled, std::int64_t first,
                     std::int64_t last, std::uint32_t outputs) {
  RequestTimes times;
  times.queued = SimTime(queued);
  times.first_scheduled = SimTime(scheduled);
  times.first_token = SimTime(first);
  times.last_token = SimTime(last);
  times.prompt_tokens = 10;
  times.output_tokens = outputs;
  times.completed = true;
  return times;
}

}  // namespace

TEST_CASE("no values: no mean and no percentile") {
  const Distribution none = describe_plain({});
  CHECK(none.count == 0);
  CHECK_FALSE(none.mean);
  CHECK_FALSE(none.p50);
  CHECK_FALSE(none.p99);
}

TEST_CASE("one value is every percentile") {
  const Distribution one = describe_plain({7});
  CHECK(one.mean == 7.0);
  CHECK(one.p50 == 7.0);
  CHECK(one.p99 == 7.0);
}

TEST_CASE("percentiles interpolate linearly at rank p (N - 1) / 100") {
  // Ranks of 0 … 10 are the values themselves, divided by ten.
  const Distribution d = describe_plain({100, 0, 30, 10, 20, 90, 40, 60, 50, 80, 70});
  CHECK(d.count == 11);
  CHECK(d.mean == 50.0);
  CHECK(d.p50 == 50.0);
  CHECK(d.p90 == 90.0);
  CHECK(d.p95 == 95.0);
  CHECK(d.p99 == 99.0);
  CHECK(describe_plain({1, 2}).p50 == 1.5);
  CHECK(describe_plain({1, 2}).p99 == 1.99);
}

TEST_CASE("a count stands for that many equal values") {
  for (std::uint32_t draw = 0; draw < 50; ++draw) {
    std::vector<Sample<std::int64_t>> counted;
    std::vector<std::int64_t> plain;
    for (std::uint32_t i = 0; i < 1 + draw % 7; ++i) {
      const auto words = philox4x32_10({draw, i, 0, 0}, {1, 2});
      counted.push_back({words[0] % 1000, 1 + words[1] % 40});
      plain.insert(plain.end(), counted.back().count, counted.back().value);
    }
    CHECK(describe(counted) == describe_plain(plain));
  }
}

TEST_CASE("means of long times over many samples stay exact") {
  const std::int64_t hours = 1'000'000'000'000'000;
  const Distribution d = describe(
      std::vector<Sample<std::int64_t>>{{hours, 4'000'000'000}, {hours + 2, 4'000'000'000}});
  CHECK(d.mean == static_cast<double>(hours + 1));
  CHECK(d.p50 == static_cast<double>(hours + 1));
}

TEST_CASE("TTFT, queue delay, E2E and TPOT run from the stamps that rtx4090_run §1 names") {
  const RequestTimes r = request(100, 130, 200, 500, 4);
  CHECK(r.queue() == 30);
  CHECK(r.ttft() == 100);
  CHECK(r.e2e() == 400);
  CHECK(r.tpot() == 100.0);
  CHECK(request(0, 0, 5, 10, 4).tpot() == Approx(5.0 / 3));
}

TEST_CASE("a figure needs its stamps: a single token has no TPOT, an unfinished request no E2E") {
  CHECK_FALSE(request(0, 1, 2, 2, 1).tpot());
  RequestTimes waiting;
  CHECK_FALSE(waiting.ttft());
  CHECK_FALSE(waiting.queue());
  RequestTimes running = request(0, 1, 2, 9, 4);
  running.completed = false;
  CHECK(running.ttft() == 2);
  CHECK_FALSE(running.tpot());
  CHECK_FALSE(running.e2e());
  const RequestTimes all[] = {waiting, running, request(0, 1, 2, 2, 1)};
  const LatencyFigures figures = latency_figures(all, {});
  CHECK(figures.ttft.count == 2);
  CHECK(figures.queue.count == 2);
  CHECK(figures.e2e.count == 1);
  CHECK(figures.tpot.count == 0);
  CHECK(figures.itl.count == 0);
  CHECK_FALSE(figures.itl.mean);
}

TEST_CASE("intervals between tokens are counted each") {
  IntervalSamples itl;
  itl.add(SimTime(10), 3);
  itl.add(SimTime(10));
  itl.add(SimTime(20));
  itl.add(SimTime(10), 5);
  CHECK(itl.samples().size() == 3);
  const Distribution d = latency_figures({}, itl).itl;
  CHECK(d.count == 10);
  CHECK(d.mean == 11.0);
  CHECK(d.p90 == 11.0);  // rank 8.1, between 10 and 20
}

TEST_CASE("throughput is per second from the first queued request to the last token") {
  const RequestTimes all[] = {request(1'000'000'000, 0, 2'000'000'000, 3'000'000'000, 4),
                              request(500'000'000, 0, 600'000'000, 2'500'000'000, 6)};
  ThroughputFigures figures = throughput_figures(all);
  CHECK(figures.makespan == SimTime(2'500'000'000));
  CHECK(figures.requests_per_second() == 0.8);
  CHECK(figures.prompt_tokens_per_second() == 8.0);
  CHECK(figures.output_tokens_per_second() == 4.0);
  CHECK_FALSE(throughput_figures({}).requests_per_second());
}

TEST_CASE("the CSV has a cell for each figure, empty where there is none") {
  RequestTimes waiting;
  waiting.id = 8;
  waiting.arrival = SimTime(-5);
  waiting.prompt_tokens = 3;
  RequestTimes done = request(100, 130, 200, 500, 4);
  done.id = 7;
  done.arrival = SimTime(90);
  done.preemptions = 2;
  done.recomputed_tokens = 11;
  done.hit_tokens_first_admission = 16;
  done.hit_tokens_readmission = 32;
  const RequestTimes all[] = {done, waiting};
  const std::string csv = request_csv(all);
  const std::string header = csv.substr(0, csv.find('\n'));
  CHECK(csv.substr(header.size()) ==
        "\n7,90,100,130,200,500,10,4,1,2,11,16,32,30,100,100,400\n"
        "8,-5,0,,,,3,0,0,0,0,0,0,,,,\n");
  CHECK(std::count(header.begin(), header.end(), ',') == 16);
}
