// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "gpu_backend/launch/buffer.hpp"

namespace vacancy::verify {

/// One set's scores, of each live token that is not in flight, or of each block that may go.
struct KernelScores {
  gpu::Buffer<float> scores;
  /// How far a score of the simulator may be from the kernels' (docs/gpu.md).
  double absolute = 0, relative = 0;
  /// How far each one's own may be besides; empty: not at all.
  std::vector<double> doubts = {};
  std::vector<double> in_double = {};  // the same scores by reference/

  double error(double score) const { return absolute + relative * std::abs(score); }
  double doubt(std::size_t i) const { return doubts.empty() ? 0 : doubts[i]; }
};

}  // namespace vacancy::verify
