// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"

namespace vacancy::test {

/// One lie: told in the stream, or done by a kernel, once.
struct PlantedFault {
  std::string name, scenario;  // scenario: by name, see verified_runs.hpp
  std::string operation;       // that must be named
  /// Of the stream: true if the event was dealt with, whatever the verifier then heard.
  std::function<bool(const Event&, Observer&)> spoil_event;
  /// Of the memory: true if the work was spoilt.
  std::function<bool(verify::MemoryWork&)> spoil_work;
};

std::vector<PlantedFault> stream_faults();
std::vector<PlantedFault> memory_faults();

/// Between a run and its verifier.
class FaultyStream final : public Observer {
 public:
  FaultyStream(std::function<bool(const Event&, Observer&)> spoil, Observer& verifier,
               bool& planted)
      : spoil_(std::move(spoil)), verifier_(verifier), planted_(planted) {}
  void on_event(const Event& event) override {
    try {
      if (!planted_ && spoil_(event, verifier_))
        planted_ = true;
      else
        verifier_.on_event(event);
    } catch (const verify::DifferenceFound&) {
      planted_ = true;  // an honest run has none
      throw;
    }
  }

 private:
  std::function<bool(const Event&, Observer&)> spoil_;
  Observer& verifier_;
  bool& planted_;
};

}  // namespace vacancy::test
