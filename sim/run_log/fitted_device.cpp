// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/fitted_device.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

SimTime observed_cold_start(const RunLog& log) {
  const auto first =
      std::find_if(log.requests.begin(), log.requests.end(),
                   [](const MeasuredRequest& request) { return request.queued > SimTime(0); });
  if (first == log.requests.end()) return SimTime(0);
  // Queued without delay: the loop was not busy. Queued after the first output: busy with steps.
  const bool waited = first->queued - first->arrival > millisecond;
  const bool before_output = first->queued < log.requests.front().first_token;
  return waited && before_output ? first->queued : SimTime(0);
}

Device fitted_device(Device device, const RunLog& log, const FitResult& fit, SimTime until,
                     const std::string& run) {
  FittedStepTime& fitted = device.step_time.emplace();
  fitted.model = log.meta.model;
  fitted.engine = log.meta.engine;
  fitted.coefficients = fit.coefficients;
  fitted.cold_start = observed_cold_start(log);
  fitted.fit = fit.provenance(run, until);
  device.sources["step_time"] = "fitted to the stamps of " + run + ", measured on " +
                                log.meta.device + " with " + log.meta.engine;
  return device;
}

}  // namespace vacancy
