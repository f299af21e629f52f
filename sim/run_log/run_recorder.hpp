// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/run_log/simulated_run.hpp"

namespace vacancy {

/// Listens to a serving run and keeps of it what a log is compared with. Requests are numbered in
/// the order of their ids.
class RunRecorder final : public Observer {
 public:
  /// `used_blocks` is asked while the output of a step is processed.
  explicit RunRecorder(std::function<std::uint32_t()> used_blocks)
      : used_blocks_(std::move(used_blocks)) {}

  void on_event(const Event& event) override;
  /// What happened so far.
  const SimulatedRun& run() const { return run_; }

 private:
  struct InFlight {
    std::uint64_t number;  // of the engine's steps, empty ones counted
    std::uint32_t index;   // in run_.steps
  };
  void composed(const StepComposed& event);
  void completed(const StepCompleted& event);
  SimulatedRequest& request(SequenceId id);

  enum class Presence : std::uint8_t { absent, waiting, running };
  Presence& presence(SequenceId id);
  void move(SequenceId id, Presence to);
  void read_gauges();

  std::function<std::uint32_t()> used_blocks_;
  SimulatedRun run_;
  std::deque<InFlight> in_flight_;
  std::uint32_t last_completed_ = no_step;
  bool processing_output_ = false;  // from its completion until the next step is composed
  std::vector<Presence> presence_;
  std::uint32_t running_ = 0, waiting_ = 0;
  SimTime now_, last_end_;
};

}  // namespace vacancy
