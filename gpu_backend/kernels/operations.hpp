// SPDX-License-Identifier: Apache-2.0
// Every operation that a device runs. A new one is a struct, a kernel's source, a line here and one
// in implementations.hpp.
#pragma once

#include "gpu_backend/kernels/attention_operations.hpp"
#include "gpu_backend/kernels/move_operations.hpp"
#include "gpu_backend/kernels/operation_list.hpp"

namespace vacancy::gpu {

using RunsOperations =
    RunsAll<MoveRows, GatherRows, PackRows, CopyBlocks, AppendRows, ReadRows, DecodeAttention>;

}  // namespace vacancy::gpu
