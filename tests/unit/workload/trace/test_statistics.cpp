// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/workload/trace/statistics.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/workload/trace/made_trace.hpp"

using namespace vacancy;
using test::MadeTrace;

TEST_CASE("percentiles lie linearly between ranks", "[trace]") {
  MadeTrace trace({{SimTime(0), 10, 1, {}, {}, {}},
                   {SimTime(0), 20, 1, {}, {}, {}},
                   {SimTime(0), 40, 1, {}, {}, {}},
                   {SimTime(0), 30, 1, {}, {}, {}}});
  const LengthFigures prompt = measure_trace(trace).prompt;
  CHECK(prompt.sum == 100);
  CHECK(prompt.mean == 25);
  CHECK(prompt.minimum == 10);
  CHECK(prompt.p50 == 25);
  CHECK(prompt.p90 == 37);
  CHECK(prompt.p99 == 39.7);
  CHECK(prompt.maximum == 40);
}

TEST_CASE("arrivals: span, rate and variation", "[trace]") {
  const auto at = [](std::int64_t seconds) {
    return TraceRequest{SimTime(seconds * 1'000'000'000), 1, 1, {}, {}, {}};
  };
  SECTION("gaps of 1, 1 and 4 seconds") {
    MadeTrace trace({at(2), at(3), at(4), at(8)});
    const TraceFigures f = measure_trace(trace);
    CHECK(f.requests == 4);
    CHECK(f.first == SimTime(2'000'000'000));
    CHECK(f.span() == SimTime(6'000'000'000));
    CHECK(*f.requests_per_second() == Approx(4 / 6.0));
    // Mean 2, deviations -1, -1, 2: the root of 6 / 3, over 2.
    CHECK(*f.inter_arrival_cv == Approx(0.70710678));
  }
  SECTION("all at once") {
    MadeTrace trace({at(5), at(5)});
    const TraceFigures f = measure_trace(trace);
    CHECK_FALSE(f.requests_per_second());
    CHECK_FALSE(f.inter_arrival_cv);
  }
  SECTION("one request, and none") {
    MadeTrace one({at(5)}), none({});
    CHECK_FALSE(measure_trace(one).inter_arrival_cv);
    CHECK(measure_trace(none).requests == 0);
    CHECK_FALSE(measure_trace(none).blocks);
  }
}

TEST_CASE("blocks: what an unbounded cache finds", "[trace]") {
  const auto request = [](std::vector<std::uint64_t> keys) {
    return TraceRequest{SimTime(0), 64, 1, std::move(keys), {}, {}};
  };
  MadeTrace trace({request({1, 2, 3}), request({1, 2, 4}), request({5, 2}), request({6, 6})},
                  {"made", 16, false});
  const BlockFigures blocks = *measure_trace(trace).blocks;
  CHECK(blocks.references == 10);
  CHECK(blocks.unique == 6);
  CHECK(blocks.referenced_once == 3);  // 3, 4, 5
  CHECK(blocks.most_references == 3);  // 2
  CHECK(*blocks.ideal_hit_ratio() == 0.4);
  CHECK(blocks.requests_with_hit == 2);
  CHECK(blocks.hits_after_miss == 1);  // 2 behind 5; the second 6 is of the same request
}

TEST_CASE("a trace with keys but without a full block has no hit ratio", "[trace]") {
  MadeTrace trace({{SimTime(0), 3, 1, {}, {}, {}}}, {"made", 16, false});
  const BlockFigures blocks = *measure_trace(trace).blocks;
  CHECK(blocks.references == 0);
  CHECK_FALSE(blocks.ideal_hit_ratio());
}

TEST_CASE("figures of the public traces", "[trace][published]") {
  if (const auto path = test::shared_file("data/azure/AzureLLMInferenceTrace_code.csv")) {
    const TraceFigures f = measure_trace(*open_trace(*path, {}));
    CHECK(*f.inter_arrival_cv == Approx(13.15).margin(0.005));
    CHECK(*f.requests_per_second() == Approx(2.567).margin(0.0005));
    CHECK(f.span() == SimTime(3'435'948'056'000));
    CHECK_FALSE(f.blocks);
  }
  if (const auto path = test::shared_file("data/mooncake/conversation_trace.jsonl")) {
    const TraceFigures f = measure_trace(*open_trace(*path, {}));
    CHECK(*f.blocks->ideal_hit_ratio() == Approx(0.3664).margin(5e-5));
    CHECK(f.blocks->hits_after_miss == 0);
    CHECK(f.prompt.p90 == 27'367);
    CHECK(f.output.p99 == 1'118.5);  // between 1,115 and 1,120
  }
}
