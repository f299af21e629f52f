// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/device/device.hpp"
#include "sim/run_log/run_log.hpp"
#include "sim/run_log/simulated_run.hpp"
#include "sim/run_log/stamp_intervals.hpp"
#include "sim/run_log/step_time_form.hpp"

namespace vacancy {

/// What is believed of a term's price: a shared one, else that of steps without prefill.
struct TermPrior {
  StepTerm term = StepTerm::step;
  double value_ns = 0, deviation_ns = 1;
};

struct FitOptions {
  StepTimeForm form = StepTimeForm::s10;
  /// Only stamps up to here are used; later ones are there to be predicted.
  SimTime until{std::numeric_limits<std::int64_t>::max()};
  std::vector<TermPrior> priors;
  std::uint32_t max_rounds = 8;
};

/// One interval under the prices of the fit.
struct IntervalResidual {
  StampInterval interval;
  SimTime error;  // simulated - measured
};

struct FitRound {
  StepTimeCoefficients coefficients;     // that the round ended with
  std::uint64_t intervals = 0;           // fitted in this round
  std::uint64_t first_token_groups = 0;  // of the simulation that the round began with
  SimTime rms;                           // of the intervals fitted
  double change = 0;  // largest change of an interval's time against the round before, as a share
};

/// How a fit ended: nothing moved any more; the rounds were used up; or the simulation came to
/// agree less with the log, which a fit does not recover from (spec rtx4090_run §5, point 6).
enum class FitEnd { converged, out_of_rounds, diverged };

template <>
struct EnumNames<FitEnd> {
  static constexpr EnumName<FitEnd> table[] = {{FitEnd::converged, "converged"},
                                               {FitEnd::out_of_rounds, "out_of_rounds"},
                                               {FitEnd::diverged, "diverged"}};
};

struct FitResult {
  StepTimeForm form = StepTimeForm::s10;
  /// Where the fit did not converge: those whose simulation agreed with the log in most groups.
  StepTimeCoefficients coefficients;
  FitEnd end = FitEnd::out_of_rounds;
  std::vector<FitRound> rounds;
  SimulatedRun run;                                 // under these coefficients
  std::vector<IntervalResidual> fitted, predicted;  // stamps up to `until`, and after it
  SimTime rms, predicted_rms;

  /// Prices below zero: two terms that the log does not tell apart.
  std::vector<std::string> negative_prices() const;
  FitProvenance provenance(std::string run, SimTime until) const;
};

/// Least squares on the times between consecutive stamps, over again with each new simulation,
/// until prices and simulation agree (spec rtx4090_run §3). Throws UserError where the log and the
/// form leave a price open.
FitResult fit_step_times(const RunLog& log, const StepTimeCoefficients& start,
                         const Simulate& simulate, const FitOptions& options);

}  // namespace vacancy
