// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/replayed_arrivals.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

class MadeTrace final : public TraceReader {
 public:
  explicit MadeTrace(std::vector<TraceRequest> rows) : rows_(std::move(rows)) {}
  const TraceInfo& info() const override { return info_; }
  bool next(TraceRequest& request) override {
    if (at_ == rows_.size()) return false;
    request = rows_[at_++];
    return true;
  }

 private:
  TraceInfo info_{"made", 0, false};
  std::vector<TraceRequest> rows_;
  std::size_t at_ = 0;
};

TraceRequest row(std::int64_t arrival, std::uint32_t prompt, std::uint32_t output) {
  TraceRequest request;
  request.arrival = SimTime(arrival);
  request.prompt_tokens = prompt;
  request.output_tokens = output;
  return request;
}

RunLog log_of(std::initializer_list<TraceRequest> rows) {
  RunLog log;
  for (const TraceRequest& request : rows) {
    MeasuredRequest measured;
    measured.arrival = request.arrival;
    measured.prompt_tokens = request.prompt_tokens;
    measured.output_tokens = request.output_tokens;
    log.requests.push_back(measured);
  }
  return log;
}

std::vector<TraceRequest> all(TraceReader& trace) {
  std::vector<TraceRequest> rows;
  for (TraceRequest request; trace.next(request);)
    rows.push_back(request);
  return rows;
}

}  // namespace

TEST_CASE("a replayed workload arrives when the log says") {
  const auto trace =
      with_measured_arrivals(std::make_unique<MadeTrace>(std::vector{row(1, 10, 2), row(2, 20, 3)}),
                             log_of({row(-7, 10, 2), row(90, 20, 3)}));
  CHECK(trace->info().format == "made");
  const auto rows = all(*trace);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].arrival == SimTime(-7));
  CHECK(rows[1].arrival == SimTime(90));
  CHECK(rows[1].prompt_tokens == 20);
}

TEST_CASE("or when the engine queued it, where that is asked for") {
  RunLog log = log_of({row(-7, 10, 2)});
  log.requests[0].queued = SimTime(5);
  const auto trace = with_measured_arrivals(std::make_unique<MadeTrace>(std::vector{row(1, 10, 2)}),
                                            log, MeasuredArrival::queued);
  CHECK(all(*trace)[0].arrival == SimTime(5));
}

TEST_CASE("another workload than the log's is refused") {
  const auto replay = [](std::vector<TraceRequest> rows, const RunLog& log) {
    all(*with_measured_arrivals(std::make_unique<MadeTrace>(std::move(rows)), log));
  };
  const RunLog log = log_of({row(0, 10, 2), row(0, 20, 3)});
  CHECK_THROWS_WITH(replay({row(0, 10, 2), row(0, 21, 3)}, log),
                    Catch::Contains("21 and 3 tokens in request 1, the log 20 and 3"));
  CHECK_THROWS_WITH(replay({row(0, 10, 2)}, log), Catch::Contains("more or fewer requests"));
  CHECK_THROWS_WITH(replay({row(0, 10, 2), row(0, 20, 3), row(0, 1, 1)}, log),
                    Catch::Contains("more or fewer requests"));
}
