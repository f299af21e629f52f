// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gpu_backend/bench/bench_cache.hpp"
#include "gpu_backend/bench/round_table.hpp"

namespace vacancy::gpu {

/// TriAttention's eviction round in device memory. Survivors go from the top-k to the compaction
/// without the host. Stages may be repeated, each behind those before it in RoundStage.
class EvictionRound {
 public:
  /// tokens: a multiple of 16. Throws OutOfDeviceMemory.
  EvictionRound(Device& device, const CacheShape& shape, const RoundSize& size);

  void run(RoundStage stage);

  const BenchCache& cache() const { return cache_; }
  /// [requests][layers][KV heads][kept], ascending.
  const Buffer<std::int32_t>& kept() const { return kept_; }

 private:
  ScoreRows rows_of(const Buffer<float>& scores, int per_request) const;
  MoveLists moves() const;

  Device& device_;
  CacheShape shape_;
  RoundSize size_;
  int sets_;  // of a request
  BenchCache cache_;
  BlockTables tables_;
  Buffer<float> calibration_, weights_, scores_, joined_;
  Buffer<double> frequencies_, rotations_;
  Buffer<std::int32_t> ends_, kept_, bounds_, targets_;
};

/// The times of round_rows().
std::vector<double> measured_round(Device& device, const CacheShape& shape, const RoundSize& size);

}  // namespace vacancy::gpu
