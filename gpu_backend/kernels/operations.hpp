// SPDX-License-Identifier: Apache-2.0
// Every operation that a device runs. A new one is a struct, a kernel's source, a line here and one
// in implementations.hpp.
#pragma once

#include "gpu_backend/kernels/attention_operations.hpp"
#include "gpu_backend/kernels/codec_operations.hpp"
#include "gpu_backend/kernels/move_operations.hpp"
#include "gpu_backend/kernels/operation_list.hpp"
#include "gpu_backend/kernels/row_operations.hpp"
#include "gpu_backend/kernels/score_operations.hpp"

namespace vacancy::gpu {

using RunsOperations =
    RunsAll<MoveRows, GatherRows, PackRows, CopyBlocks, AppendRows, ReadRows, DecodeAttention,
            QueryAttention, EncodeFp8, DecodeFp8, EncodeIntegers, DecodeIntegers, EncodeNvfp4,
            DecodeNvfp4, EncodeKivi, DecodeKivi, RandomScores, TriAttentionWeights,
            TriAttentionScores, RowStatistics, KeyRedundancy, KeyDifference, LagRanks,
            NormalizeRows, PoolNeighbours, JoinRows, TopK, AggregateBlocks, BlockOccupancy>;

}  // namespace vacancy::gpu
