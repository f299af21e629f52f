// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/metrics/distribution.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// When things happened to one request, and how often. A stamp is absent until it happens.
struct RequestTimes {
  std::uint64_t id = 0;
  SimTime arrival;  // when it was sent
  SimTime queued;   // when the engine's loop took it in
  std::optional<SimTime> first_scheduled, first_token, last_token;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;  // so far
  bool completed = false;
  std::uint32_t preemptions = 0;
  std::uint64_t recomputed_tokens = 0;
  std::uint64_t hit_tokens_first_admission = 0, hit_tokens_readmission = 0;

  // Nanoseconds, as spec formats §5 and rtx4090_run §1 define them: from `queued`, which is stamped
  // at the end of a step, not from the arrival.
  std::optional<std::int64_t> ttft() const;
  std::optional<std::int64_t> queue() const;
  std::optional<std::int64_t> e2e() const;  // of completed requests
  /// (last - first token) / (output tokens - 1); nothing for a single token.
  std::optional<double> tpot() const;
};

/// Times between consecutive tokens of a request, over all requests.
class IntervalSamples {
 public:
  /// Sequences of one step share their interval, so equal neighbours take one entry.
  void add(SimTime interval, std::uint64_t count = 1);
  const std::vector<Sample<std::int64_t>>& samples() const { return samples_; }

 private:
  std::vector<Sample<std::int64_t>> samples_;
};

/// In nanoseconds, over the requests that got that far.
struct LatencyFigures {
  Distribution ttft, tpot, itl, e2e, queue;
};
LatencyFigures latency_figures(std::span<const RequestTimes> requests, const IntervalSamples& itl);

struct ThroughputFigures {
  /// From the first queued request to the last token.
  SimTime makespan;
  std::uint64_t completed = 0, prompt_tokens = 0, output_tokens = 0;  // prompts: with a first token

  // Per second of the makespan; nothing where that is zero.
  std::optional<double> requests_per_second() const;
  std::optional<double> prompt_tokens_per_second() const;
  std::optional<double> output_tokens_per_second() const;
};
ThroughputFigures throughput_figures(std::span<const RequestTimes> requests);

/// One line for each request and a header; a figure that does not exist is an empty cell.
std::string request_csv(std::span<const RequestTimes> requests);

}  // namespace vacancy
