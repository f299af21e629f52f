// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/run_log.hpp"

#include "sim/run_log/files.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {
namespace {

void check_sum(const std::filesystem::path& folder, const char* what, std::uint64_t ticks,
               std::uint64_t requests) {
  if (ticks == requests) return;
  throw UserError((folder / "timeseries.csv").string() + ": its " + what + " tokens add up to " +
                  format_count(ticks) + ", but those of requests.jsonl to " +
                  format_count(requests) + "; one of the two is not of this run, or is cut off.");
}

}  // namespace

std::vector<RequestTimes> RunLog::times() const {
  std::vector<RequestTimes> all;
  for (const MeasuredRequest& request : requests) {
    RequestTimes times;
    times.id = all.size();
    times.arrival = request.arrival;
    times.queued = request.queued;
    times.first_scheduled = request.scheduled;
    times.first_token = request.first_token;
    times.last_token = request.last_token;
    times.prompt_tokens = request.prompt_tokens;
    times.output_tokens = request.output_tokens;
    times.completed = true;
    all.push_back(times);
  }
  return all;
}

RunLog read_run_log(const std::filesystem::path& folder) {
  RunLog log;
  log.meta = read_run_meta(folder / "meta.json");
  log.requests = read_measured_requests(folder / "requests.jsonl");
  log.ticks = read_measured_ticks(folder / "timeseries.csv", log.meta.tick);
  if (log.requests.size() != log.meta.requests)
    throw UserError((folder / "requests.jsonl").string() + ": has " +
                    format_count(log.requests.size()) + " requests, but meta.json says " +
                    format_count(log.meta.requests) + "; the file is cut off, or of another run.");
  std::uint64_t prompt = 0, output = 0, prompt_ticks = 0, output_ticks = 0;
  for (const MeasuredRequest& request : log.requests) {
    prompt += request.prompt_tokens;
    output += request.output_tokens;
  }
  for (const MeasuredTick& tick : log.ticks) {
    prompt_ticks += tick.prompt_tokens;
    output_ticks += tick.output_tokens;
  }
  check_sum(folder, "prompt", prompt_ticks, prompt);
  check_sum(folder, "generated", output_ticks, output);
  return log;
}

}  // namespace vacancy
