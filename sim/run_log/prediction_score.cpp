// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/prediction_score.hpp"

#include <cmath>

#include "sim/metrics/latency.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

std::optional<double> error(const std::optional<double>& simulated,
                            const std::optional<double>& measured) {
  if (!simulated || !measured || *measured == 0) return std::nullopt;
  return *simulated / *measured - 1;
}

RelativeErrors errors(const Distribution& simulated, const Distribution& measured) {
  return {error(simulated.mean, measured.mean), error(simulated.p50, measured.p50),
          error(simulated.p90, measured.p90), error(simulated.p95, measured.p95),
          error(simulated.p99, measured.p99)};
}

struct Pairs {
  std::vector<RequestTimes> simulated, measured;

  void add(const RequestTimes& of_simulation, const RequestTimes& of_log) {
    simulated.push_back(of_simulation);
    measured.push_back(of_log);
  }

  PredictionErrors errors() const {
    PredictionErrors result;
    result.requests = measured.size();
    const LatencyFigures a = latency_figures(simulated, {}), b = latency_figures(measured, {});
    result.ttft = vacancy::errors(a.ttft, b.ttft);
    result.tpot = vacancy::errors(a.tpot, b.tpot);
    result.e2e = vacancy::errors(a.e2e, b.e2e);
    result.queue = vacancy::errors(a.queue, b.queue);
    result.tpot_mape = tpot_mape();
    return result;
  }

 private:
  std::optional<double> tpot_mape() const {
    double sum = 0;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto one = error(simulated[i].tpot(), measured[i].tpot());
      if (!one) continue;
      sum += std::abs(*one);
      ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

}  // namespace

PredictionScore prediction_score(const RunLog& log, const SimulatedRun& run, SimTime until) {
  const std::vector<RequestTimes> simulated = simulated_times(run, log), measured = log.times();
  Pairs all, early, late;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    all.add(simulated[i], measured[i]);
    (log.requests[i].first_token > until ? late : early).add(simulated[i], measured[i]);
  }
  PredictionScore score{all.errors(), early.errors(), late.errors(), {}};
  const auto makespan = [](std::span<const RequestTimes> times) {
    return std::optional(static_cast<double>(throughput_figures(times).makespan.value()));
  };
  score.makespan = error(makespan(simulated), makespan(measured));
  return score;
}

}  // namespace vacancy
