// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/device/device_file.hpp"
#include "sim/run_log/fitted_device.hpp"
#include "sim/run_log/prediction_score.hpp"
#include "sim/run_log/schedule_score.hpp"
#include "sim/run_log/step_time_fit.hpp"
#include "sim/units/error.hpp"
#include "tests/support/worst_error.hpp"
#include "tests/unit/run_log/made_engine.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Requests come faster than they are served for 8 s; from then on the schedule is fixed, and the
/// lengths decide how many run at a time.
MadeEngine busy_engine() {
  return {200, SimTime(40'000'000)};
}

Simulate simulation_of(const MadeEngine& engine) {
  return [&engine](const StepTimeCoefficients& prices) { return engine.run(prices); };
}

StepTimeCoefficients times(double factor, StepTimeCoefficients prices) {
  for (StepTerms* side : {&prices.decode, &prices.prefill})
    for (const auto& term : EnumNames<StepTerm>::table)
      (*side)[term.value] *= factor;
  return prices;
}

/// Largest difference of any form's prices, as a share of the true one.
double largest_error(StepTimeForm form, const StepTimeCoefficients& found,
                     const StepTimeCoefficients& truth) {
  const std::vector<double> a = values_of(form, found), b = values_of(form, truth);
  test::WorstError largest;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest.add(std::abs(a[i] / b[i] - 1));
  return largest.value();
}

}  // namespace

TEST_CASE("exact stamps give the true prices back, in each form") {
  const MadeEngine engine = busy_engine();
  struct Row {
    StepTimeForm form;
    StepTimeCoefficients truth;
  };
  for (const Row& row :
       {Row{StepTimeForm::s10, true_prices()}, Row{StepTimeForm::s4, shared_prices()}}) {
    INFO(enum_name(row.form));
    const RunLog log = engine.log(engine.run(row.truth));
    FitOptions options;
    options.form = row.form;
    const FitResult fit = fit_step_times(log, row.truth, simulation_of(engine), options);
    CHECK(fit.end == FitEnd::converged);
    CHECK(fit.rms < SimTime(10));  // each step of an interval rounds by half a nanosecond
    CHECK(largest_error(row.form, fit.coefficients, row.truth) < 1e-4);
    CHECK(fit.negative_prices().empty());
  }
}

TEST_CASE("from a start that is a fifth too fast the fit finds schedule and prices") {
  const MadeEngine engine = busy_engine();
  const RunLog log = engine.log(engine.run(true_prices()));
  const FitResult fit =
      fit_step_times(log, times(0.8, true_prices()), simulation_of(engine), FitOptions{});
  CHECK(fit.end == FitEnd::converged);
  CHECK(fit.rounds.size() > 1);
  CHECK(fit.rounds.front().first_token_groups < log.requests.size() - 1);
  CHECK(fit.rounds.back().first_token_groups == log.requests.size() - 1);
  CHECK(largest_error(StepTimeForm::s10, fit.coefficients, true_prices()) < 1e-4);
  CHECK(schedule_counts(fit.run) == schedule_counts(engine.run(true_prices())));
}

TEST_CASE("late stamps and outliers move the prices little") {
  const MadeEngine engine = busy_engine();
  const SimulatedRun truth = engine.run(true_prices());
  const RunLog log = engine.log(truth, SimTime(1'000'000), 25);
  const FitResult fit =
      fit_step_times(log, times(0.9, true_prices()), simulation_of(engine), FitOptions{});
  CHECK(fit.end == FitEnd::converged);
  const PredictionScore score = prediction_score(log, fit.run, SimTime(0));
  CHECK(std::abs(*score.all.ttft.mean) < 0.005);
  CHECK(std::abs(*score.all.tpot.mean) < 0.005);
  CHECK(std::abs(*score.makespan) < 0.005);
  CHECK(fit.coefficients.decode[StepTerm::step] == Approx(16.6e6).epsilon(0.05));
  CHECK(fit.coefficients.prefill[StepTerm::prefill_token] == Approx(85.5e3).epsilon(0.02));
}

TEST_CASE("only stamps up to the limit are fitted; later ones are predicted") {
  const MadeEngine engine = busy_engine();
  RunLog log = engine.log(engine.run(true_prices()));
  const SimTime until(log.requests.back().first_token.value() / 2);
  FitOptions options;
  options.until = until;
  const FitResult fit = fit_step_times(log, true_prices(), simulation_of(engine), options);
  CHECK_FALSE(fit.fitted.empty());
  CHECK_FALSE(fit.predicted.empty());
  for (const IntervalResidual& residual : fit.fitted)
    CHECK(residual.interval.to <= until);
  for (const IntervalResidual& residual : fit.predicted)
    CHECK(residual.interval.to > until);

  // Later stamps that say something else change no price.
  for (MeasuredRequest& request : log.requests)
    for (SimTime* stamp : {&request.first_token, &request.last_token})
      if (*stamp > until) *stamp = *stamp + SimTime((*stamp - until).value() / 2);
  const FitResult again = fit_step_times(log, true_prices(), simulation_of(engine), options);
  CHECK(again.coefficients == fit.coefficients);
  CHECK(again.predicted_rms > fit.predicted_rms * 100);
}

TEST_CASE("a simulation that loses the schedule ends the fit, with the prices that agreed most") {
  const MadeEngine engine = busy_engine();
  const RunLog log = engine.log(engine.run(true_prices()));
  // Agrees at first; with any other prices, all requests start in one step.
  const Simulate loses = [&](const StepTimeCoefficients& prices) {
    SimulatedRun run = engine.run(true_prices());
    if (prices == times(0.9, true_prices())) return run;
    for (std::size_t i = 0; i < run.requests.size(); ++i)
      run.requests[i].first_token = 5;
    return run;
  };
  const FitResult fit = fit_step_times(log, times(0.9, true_prices()), loses, FitOptions{});
  CHECK(fit.end == FitEnd::diverged);
  CHECK(fit.rounds.size() == 1);
  CHECK(fit.coefficients == times(0.9, true_prices()));
}

TEST_CASE("rounds are limited") {
  const MadeEngine engine = busy_engine();
  const RunLog log = engine.log(engine.run(true_prices()));
  FitOptions options;
  options.max_rounds = 1;
  const FitResult fit =
      fit_step_times(log, times(0.9, true_prices()), simulation_of(engine), options);
  CHECK(fit.end == FitEnd::out_of_rounds);
  CHECK(fit.rounds.size() == 1);
}

TEST_CASE("a log that leaves prices open is refused; a prior closes them") {
  // Each request alone, with a prompt of one chunk: steps with prefill never decode.
  MadeEngine engine(40, SimTime(30'000'000'000));
  engine.seats = 1;
  engine.budget = 4'096;
  const RunLog log = engine.log(engine.run(true_prices()));
  CHECK_THROWS_WITH(fit_step_times(log, true_prices(), simulation_of(engine), FitOptions{}),
                    Catch::Contains("do not determine the 10 prices of the form s10") &&
                        Catch::Contains("fewer terms"));
  FitOptions constant;
  constant.form = StepTimeForm::constant;
  CHECK_NOTHROW(fit_step_times(log, true_prices(), simulation_of(engine), constant));
  FitOptions unknown;
  unknown.form = StepTimeForm::s4;
  unknown.priors = {{StepTerm::longest_token, 1, 1}};
  CHECK_THROWS_WITH(fit_step_times(log, true_prices(), simulation_of(engine), unknown),
                    Catch::Contains("The form s4 has no term longest_token_ns"));
}

TEST_CASE("time in which the engine stands idle is no step's time") {
  // One request after the other with seconds between them.
  MadeEngine engine(60, SimTime(20'000'000'000));
  const RunLog log = engine.log(engine.run(shared_prices()));
  FitOptions options;
  options.form = StepTimeForm::s4;
  const FitResult fit = fit_step_times(log, shared_prices(), simulation_of(engine), options);
  CHECK(largest_error(StepTimeForm::s4, fit.coefficients, shared_prices()) < 1e-3);
}

TEST_CASE("what a fit writes about itself") {
  const MadeEngine engine = busy_engine();
  const RunLog log = engine.log(engine.run(true_prices()), SimTime(1'000'000));
  FitOptions options;
  options.until = SimTime(20'000'000'000);
  const FitResult fit = fit_step_times(log, true_prices(), simulation_of(engine), options);
  const FitProvenance note = fit.provenance("made", options.until);
  CHECK(note.run == "made");
  CHECK(note.form == "s10");
  CHECK(note.until == options.until);
  CHECK(note.intervals == fit.fitted.size());
  CHECK(note.rounds == fit.rounds.size());
  CHECK(note.converged);
  CHECK(note.rms == fit.rms);
  CHECK(note.predicted_rms == fit.predicted_rms);
}

TEST_CASE("a fitted device keeps the hardware, prices the steps, and reads back") {
  const MadeEngine engine = busy_engine();
  RunLog log = engine.log(engine.run(true_prices()));
  log.meta.model = "made model";
  log.meta.engine = "made engine";
  log.meta.device = "made card";
  const FitOptions options;
  const FitResult fit = fit_step_times(log, true_prices(), simulation_of(engine), options);
  const SimTime until(50'000'000'000);
  const Device base = device_preset("h100");
  const Device device = fitted_device(base, log, fit, until, "a run");
  CHECK(device.memory_bandwidth == base.memory_bandwidth);
  CHECK(device.flops == base.flops);
  REQUIRE(device.step_time);
  CHECK(device.step_time->coefficients == fit.coefficients);
  CHECK(device.step_time->model == "made model");
  CHECK(device.step_time->engine == "made engine");
  CHECK(device.step_time->fit->run == "a run");
  CHECK(device.sources.at("step_time") ==
        "fitted to the stamps of a run, measured on made card with made engine");
  CHECK(device_from_text(to_text(device), "my_gpu.json") == device);
}

TEST_CASE("a cold start shows in the first request that had to wait for the loop") {
  const auto log_of = [](std::int64_t arrival_ms, std::int64_t queued_ms) {
    RunLog log;
    log.requests.resize(3);
    log.requests[0].first_token = SimTime(700'000'000);
    log.requests[1] = log.requests[0];  // came with the first one
    log.requests[2].arrival = SimTime(arrival_ms * 1'000'000);
    log.requests[2].queued = SimTime(queued_ms * 1'000'000);
    return log;
  };
  CHECK(observed_cold_start(log_of(263, 387)) == SimTime(387'000'000));
  CHECK(observed_cold_start(log_of(387, 387)) == SimTime(0));  // nothing kept it waiting
  CHECK(observed_cold_start(log_of(600, 710)) == SimTime(0));  // a step did
  CHECK(observed_cold_start(RunLog{}) == SimTime(0));
}
