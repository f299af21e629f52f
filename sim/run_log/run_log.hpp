// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/metrics/latency.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// What the engine said of itself.
struct RunLogMeta {
  std::string model, engine, device, workload_sha256;
  Bytes device_memory;
  std::uint32_t requests = 0;
  std::uint32_t blocks = 0, block_size = 0;  // the null block counted
  std::uint32_t max_num_seqs = 0, max_num_batched_tokens = 0;
  bool prefix_caching = false, async_scheduling = false, full_sequence_gate = false;
  SimTime tick;

  /// Without the null block, which never holds a token (spec engines V11).
  std::uint32_t usable_blocks() const { return blocks - 1; }
};

/// Stamps of one request on the engine's clock; 0 = the first request is queued.
struct MeasuredRequest {
  std::string id;
  std::uint32_t prompt_tokens = 0, output_tokens = 0;
  /// On the engine's clock too: the two clocks are taken to differ by the smallest lag that any
  /// request has between arriving and being queued (spec rtx4090_run §1). May be negative.
  SimTime arrival;
  SimTime queued, scheduled, first_token, last_token;
};

/// The gauges once a tick.
struct MeasuredTick {
  SimTime time;
  std::uint64_t prompt_tokens = 0, output_tokens = 0;  // in the tick; each prompt counts once
  std::uint32_t running = 0, waiting = 0;
  std::uint32_t kv_hundredths = 0;  // used blocks in hundredths of a percent of the usable ones
};

/// A measured run of vLLM (spec formats §5).
struct RunLog {
  RunLogMeta meta;
  std::vector<MeasuredRequest> requests;  // in the order of queueing
  std::vector<MeasuredTick> ticks;

  std::vector<RequestTimes> times() const;
};

/// Reads meta.json, requests.jsonl and timeseries.csv of a folder and checks them against each
/// other: counts, the order of stamps, and that the ticks add up to the tokens of the requests.
/// Throws UserError with file, line and field.
RunLog read_run_log(const std::filesystem::path& folder);

}  // namespace vacancy
