// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/metrics/latency.hpp"
#include "sim/pool/events.hpp"

namespace vacancy {

/// Follows every request of a serving run from its arrival to its last token.
class RequestRecorder final : public Observer {
 public:
  void on_event(const Event& event) override;

  /// By id.
  const std::vector<RequestTimes>& requests() const { return requests_; }
  const IntervalSamples& intervals() const { return intervals_; }

 private:
  RequestTimes& at(SequenceId id) { return requests_[id.value()]; }
  void got_token(RequestTimes& request);

  std::vector<RequestTimes> requests_;
  IntervalSamples intervals_;
  SimTime now_;
};

}  // namespace vacancy
