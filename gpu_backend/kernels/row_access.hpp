// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/row_operations.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

struct RowRange {
  int begin, end;
};
__device__ __forceinline__ RowRange range_of(const ScoreRows& rows, int row) {
  const int request = row / rows.per_request;
  return {rows.begin != nullptr ? __ldg(&rows.begin[request]) : 0, __ldg(&rows.end[request])};
}

inline unsigned row_count(const ScoreRows& rows) {
  return static_cast<unsigned>(rows.requests) * static_cast<unsigned>(rows.per_request);
}
inline void check_rows(const ScoreRows& rows, const char* operation) {
  if (rows.requests < 0 || rows.per_request < 1 || rows.stride < 0 || rows.end == nullptr)
    throw std::invalid_argument(std::string(operation) +
                                ": rows need their ends, and a request a row at least");
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
