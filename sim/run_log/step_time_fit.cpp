// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/step_time_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/run_log/robust_least_squares.hpp"
#include "sim/run_log/schedule_score.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {
namespace {

/// Below this share of any interval, a round has changed nothing.
constexpr double settled = 1e-5;
/// A round that has less than this share of the best one's groups has gone astray.
constexpr double astray = 0.9;

/// The factors of one interval: how often each unknown occurs in its steps.
std::vector<double> factors(const StampInterval& interval, const SimulatedRun& run,
                            std::span<const FitColumn> columns) {
  std::vector<double> sums(columns.size(), 0);
  for (std::uint32_t step = interval.first_step; step <= interval.last_step; ++step)
    for (std::size_t i = 0; i < columns.size(); ++i)
      sums[i] += columns[i].count(run.steps[step].work);
  return sums;
}

double measured_ns(const StampInterval& interval) {
  return static_cast<double>((interval.to - interval.from - interval.idle).value());
}

SimTime rounded(double ns) {
  return SimTime(static_cast<std::int64_t>(std::floor(ns + 0.5)));
}

/// Intervals of a simulation and the rows that they give, split at `until`.
struct Rows {
  Rows(const RunLog& log, const SimulatedRun& run, StepTimeForm form, SimTime until)
      : fitted(columns_of(form).size()), predicted(columns_of(form).size()) {
    for (const StampInterval& interval : stamp_intervals(log, run)) {
      const bool seen = interval.to <= until;
      (seen ? fitted : predicted)
          .add(factors(interval, run, columns_of(form)), measured_ns(interval));
      (seen ? fitted_intervals : predicted_intervals).push_back(interval);
    }
  }

  LinearRows fitted, predicted;
  std::vector<StampInterval> fitted_intervals, predicted_intervals;
};

SimTime rms(const LinearRows& rows, std::span<const double> values) {
  if (rows.count() == 0) return SimTime(0);
  double sum = 0;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const double residual = rows.residual(row, values);
    sum += residual * residual;
  }
  return rounded(std::sqrt(sum / static_cast<double>(rows.count())));
}

double largest_change(const LinearRows& rows, std::span<const double> before,
                      std::span<const double> after) {
  double largest = 0;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const double difference = rows.residual(row, after) - rows.residual(row, before);
    largest = std::max(largest, std::abs(difference) / std::max(rows.observed(row), 1.0));
  }
  return largest;
}

std::vector<Prior> priors_of(const FitOptions& options) {
  std::vector<Prior> priors;
  const auto columns = columns_of(options.form);
  for (const TermPrior& prior : options.priors) {
    const auto column = std::find_if(columns.begin(), columns.end(), [&](const FitColumn& c) {
      return c.decode ? *c.decode == prior.term : *c.prefill == prior.term;
    });
    if (column == columns.end())
      throw UserError("The form " + std::string(enum_name(options.form)) + " has no term " +
                      std::string(enum_name(prior.term)) +
                      " to know anything of; remove the prior or choose another form.");
    priors.push_back(
        {static_cast<std::size_t>(column - columns.begin()), prior.value_ns, prior.deviation_ns});
  }
  return priors;
}

/// Kept to a millionth of a nanosecond, so that the last bits of a solver do not show.
double kept(double price) {
  constexpr double parts = 1e6;
  return std::floor(price * parts + 0.5) / parts;
}

std::optional<std::vector<double>> solve(const LinearRows& rows, std::span<const Prior> priors) {
  auto fit = robust_least_squares(rows, priors);
  if (!fit) return std::nullopt;
  std::transform(fit->values.begin(), fit->values.end(), fit->values.begin(), kept);
  return std::move(fit->values);
}

[[noreturn]] void refuse_open_prices(const LinearRows& rows, StepTimeForm form) {
  throw UserError(
      "The " + format_count(rows.count()) + " intervals between stamps do not determine the " +
      format_count(rows.unknowns()) + " prices of the form " + std::string(enum_name(form)) +
      ". Choose a form with fewer terms, use stamps of more time, or give a prior.");
}

std::vector<IntervalResidual> residuals(const LinearRows& rows,
                                        std::span<const StampInterval> intervals,
                                        std::span<const double> values) {
  std::vector<IntervalResidual> all;
  for (std::size_t row = 0; row < rows.count(); ++row)
    all.push_back({intervals[row], rounded(rows.residual(row, values))});
  return all;
}

}  // namespace

std::vector<std::string> FitResult::negative_prices() const {
  std::vector<std::string> names;
  for (const auto& term : EnumNames<StepTerm>::table) {
    if (coefficients.decode[term.value] < 0) names.push_back("decode." + std::string(term.name));
    if (coefficients.prefill[term.value] < 0) names.push_back("prefill." + std::string(term.name));
  }
  return names;
}

FitProvenance FitResult::provenance(std::string run_name, SimTime until) const {
  FitProvenance fit;
  fit.run = std::move(run_name);
  fit.form = enum_name(form);
  fit.until = until;
  fit.intervals = fitted.size();
  fit.rounds = rounds.size();
  fit.converged = end == FitEnd::converged;
  fit.rms = rms;
  fit.predicted_rms = predicted_rms;
  return fit;
}

FitResult fit_step_times(const RunLog& log, const StepTimeCoefficients& start,
                         const Simulate& simulate, const FitOptions& options) {
  FitResult result;
  result.form = options.form;
  const std::vector<Prior> priors = priors_of(options);
  StepTimeCoefficients best = start, now = start;
  std::uint64_t best_groups = 0;
  for (;;) {
    const SimulatedRun run = simulate(now);
    const std::uint64_t groups = first_token_groups(log, run);
    if (static_cast<double>(groups) < astray * static_cast<double>(best_groups)) {
      result.end = FitEnd::diverged;
      break;
    }
    if (groups >= best_groups) {
      best_groups = groups;
      best = now;
    }
    if (result.rounds.size() == options.max_rounds) break;

    const Rows rows(log, run, options.form, options.until);
    const auto values = solve(rows.fitted, priors);
    if (!values) {
      if (result.rounds.empty()) refuse_open_prices(rows.fitted, options.form);
      result.end = FitEnd::diverged;  // the schedule has become too uniform to tell prices apart
      break;
    }
    FitRound round;
    round.coefficients = coefficients_of(options.form, *values);
    round.intervals = rows.fitted.count();
    round.first_token_groups = groups;
    round.rms = rms(rows.fitted, *values);
    round.change = largest_change(rows.fitted, values_of(options.form, now), *values);
    result.rounds.push_back(round);
    now = round.coefficients;
    if (round.change < settled) {
      result.end = FitEnd::converged;
      best = now;
      break;
    }
  }
  result.coefficients = best;
  result.run = simulate(best);
  const Rows rows(log, result.run, options.form, options.until);
  const std::vector<double> values = values_of(options.form, best);
  result.fitted = residuals(rows.fitted, rows.fitted_intervals, values);
  result.predicted = residuals(rows.predicted, rows.predicted_intervals, values);
  result.rms = rms(rows.fitted, values);
  result.predicted_rms = rms(rows.predicted, values);
  return result;
}

}  // namespace vacancy
