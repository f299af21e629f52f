// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu_backend/kernels/element_type.hpp"
#include "gpu_backend/launch/device.hpp"

namespace vacancy::test {

/// What share of the bytes in their sectors the accesses of rows use, or of the arrays that are
/// coded and decoded; without a value where there are none.
struct RowShares {
  std::optional<double> loads, stores;
};

/// One operation on a small case, for programs that watch how kernels touch memory rather than what
/// they compute.
struct Exercise {
  std::string name;
  RowShares shares;
  std::function<void(gpu::Device&)> run;
};
/// Every operation that a device has, those on rows in both element types, in
/// [block][plane][slot][dim].
std::vector<Exercise> exercises();
/// Rows that are gathered in other formats and layouts.
std::vector<Exercise> layout_exercises();

}  // namespace vacancy::test
