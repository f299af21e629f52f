// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy {

/// A serving run in the Trace Event Format, for Perfetto (ui.perfetto.dev) and chrome://tracing:
/// the engine's steps as slices, blocks in use and requests running and waiting as counters, and
/// for each request when it waited, computed its prompt, and decoded. Times in microseconds of
/// virtual time.
class ChromeTrace final : public Observer {
 public:
  /// `used_blocks` is asked when a step is composed.
  ChromeTrace(std::ostream& out, std::function<std::uint64_t()> used_blocks);

  void on_event(const Event& event) override;
  /// Closes what is open; call it once, at the end.
  void finish();

 private:
  enum class Phase : std::uint8_t { none, waiting, prefill, decode };
  struct InFlight {
    std::uint64_t step;
    SimTime begin;
    std::uint64_t prefill_tokens;
    std::uint32_t decodes;
  };

  void line(const std::string& text);
  void enter(SequenceId id, Phase phase);
  void async(SequenceId id, Phase phase, char kind);
  void counter(std::string_view name, std::uint64_t value);
  void composed(const StepComposed& event);
  void completed(const StepCompleted& event);

  std::ostream& out_;
  std::function<std::uint64_t()> used_blocks_;
  SimTime now_, engine_free_;
  bool first_ = true;
  std::vector<Phase> phases_;  // by request
  std::deque<InFlight> in_flight_;
};

}  // namespace vacancy
