// SPDX-License-Identifier: Apache-2.0
// What the kernels' sources define, once for each compiler. Callers use launch/device.hpp.
#pragma once

#include "gpu_backend/kernels/operations.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

void run(const MoveRows&, Stream);
void run(const GatherRows&, Stream);
void run(const PackRows&, Stream);
void run(const CopyBlocks&, Stream);
void run(const AppendRows&, Stream);
void run(const ReadRows&, Stream);
void run(const DecodeAttention&, Stream);

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
