// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/simulated_run.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

std::vector<RequestTimes> simulated_times(const SimulatedRun& run, const RunLog& log) {
  VACANCY_ASSERT(run.requests.size() == log.requests.size(), "the simulation served the log");
  std::vector<RequestTimes> all;
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    const SimulatedRequest& request = run.requests[i];
    RequestTimes times;
    times.id = i;
    times.arrival = log.requests[i].arrival;
    times.queued = request.queued;
    times.prompt_tokens = log.requests[i].prompt_tokens;
    if (request.first_scheduled != no_step)
      times.first_scheduled = run.steps[request.first_scheduled].composed;
    if (request.first_token != no_step) times.first_token = run.steps[request.first_token].end;
    if (request.last_token != no_step) {
      times.last_token = run.steps[request.last_token].end;
      times.output_tokens = log.requests[i].output_tokens;
      times.completed = true;
    }
    all.push_back(times);
  }
  return all;
}

}  // namespace vacancy
