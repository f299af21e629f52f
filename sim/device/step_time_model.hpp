// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "sim/device/device.hpp"
#include "sim/model/geometry.hpp"
#include "sim/model/weights.hpp"

namespace vacancy {

/// The time of a step by its terms, rounded to a nanosecond. Never negative.
SimTime step_time(const StepTimeCoefficients& coefficients, const StepWork& work);

/// The linear part of a device's roofline: where a fit starts (spec rtx4090_run §3). Throws
/// UserError if the model says too little about its weights.
StepTimeCoefficients roofline_coefficients(const Device& device, const ModelGeometry& model);

/// How long the steps of one model take on one device: fitted, or by a roofline.
class StepTimeModel {
 public:
  /// Throws UserError where a roofline is needed and the model says too little about its weights.
  StepTimeModel(const Device& device, const ModelGeometry& model);

  SimTime step(const StepWork& work) const;
  /// What a step takes longer if its attention writes the weights of all its queries.
  SimTime eager_attention(const StepWork& work) const;

 private:
  /// Weights are read once; computing on the decoding tokens hides behind that as far as it goes.
  /// Prefill is computed on top, and attention is not overlapped with either.
  struct Roofline {
    ModelWork work;
    StepTerms terms;  // without the weights
    double ns_per_weight_byte = 0;
    double decode_compute_ns = 0;  // of one token
    double sequence_ns = 0;
    double window_pair_ns = 0, window_token_ns = 0;  // in the sliding layers

    SimTime step(const StepWork& step) const;
  };
  static Roofline roofline(const Device& device, const ModelGeometry& model);
  friend StepTimeCoefficients roofline_coefficients(const Device&, const ModelGeometry&);

  std::variant<StepTimeCoefficients, Roofline> step_;
  double eager_pair_ns_ = 0, eager_step_ns_ = 0;
};

}  // namespace vacancy
