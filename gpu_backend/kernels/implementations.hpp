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
void run(const QueryAttention&, Stream);
void run(const EncodeFp8&, Stream);
void run(const DecodeFp8&, Stream);
void run(const EncodeIntegers&, Stream);
void run(const DecodeIntegers&, Stream);
void run(const EncodeNvfp4&, Stream);
void run(const DecodeNvfp4&, Stream);
void run(const EncodeKivi&, Stream);
void run(const DecodeKivi&, Stream);
void run(const RandomScores&, Stream);
void run(const TriAttentionWeights&, Stream);
void run(const TriAttentionScores&, Stream);
void run(const RowStatistics&, Stream);
void run(const KeyRedundancy&, Stream);
void run(const KeyDifference&, Stream);
void run(const LagRanks&, Stream);
void run(const NormalizeRows&, Stream);
void run(const PoolNeighbours&, Stream);
void run(const JoinRows&, Stream);
void run(const TopK&, Stream);
void run(const AggregateBlocks&, Stream);
void run(const BlockOccupancy&, Stream);

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
