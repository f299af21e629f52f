// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gpu_backend/bench/roofline.hpp"

namespace vacancy::gpu {

struct RooflineRow {
  std::string what;
  Work work;
};
/// The work of a round on one sequence of a model.
std::vector<RooflineRow> roofline_rows(const CacheShape& shape, double tokens);
void print_roofline(const GpuCeilings& gpu, const std::vector<RooflineRow>& rows);

}  // namespace vacancy::gpu
