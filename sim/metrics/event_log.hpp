// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy {

/// events.jsonl: one JSON object a line for every event, as docs/formats/events.md describes.
/// Evicted tokens are written as positions, so that a reader needs no ordinals; for that the log
/// follows the live tokens of each sequence from the events alone.
class EventLog final : public Observer {
 public:
  explicit EventLog(std::ostream& out) : out_(out) {}

  void on_event(const Event& event) override;
  /// Hands the rest of the buffer to the stream.
  void flush();

 private:
  /// Live positions of each policy set, without the run [run_first, next) at the end, which all
  /// sets hold because it was appended since the last decision.
  struct LiveTokens {
    std::vector<std::vector<std::uint32_t>> sets;
    std::uint32_t run_first = 0, next = 0;
  };
  void follow(const Event& event);
  void write(const Event& event);
  void write_moved(const TokensMoved& e);
  void write_evicted(const TokensEvicted& event);
  void write_step(const StepComposed& event);

  std::ostream& out_;
  std::string line_;
  SimTime now_;
  std::map<SequenceId, LiveTokens> live_;
};

}  // namespace vacancy
