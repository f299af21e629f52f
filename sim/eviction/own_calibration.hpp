// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/query_statistics.hpp"
#include "sim/eviction/sequence_state.hpp"

namespace vacancy {

/// A TriAttention calibration made of a sequence's own queries so far.
class OwnCalibration final : public SequenceState {
 public:
  OwnCalibration(const AttentionShape& shape, RotaryBands rotary);

  void advance(const SequenceAttention& attention, std::uint32_t length) override;

  /// Of the queries that were taken in; of every head, once there was one.
  const Calibration& statistics() const { return statistics_; }

 private:
  RotaryBands rotary_;
  std::uint32_t length_ = 0;
  Calibration statistics_;
  std::vector<double> sums_;  // [layer · query heads + head][real, imaginary, modulus][band]
  BandTurns turns_;
  std::vector<float> query_, means_;
  std::vector<double> turned_;
};

}  // namespace vacancy
