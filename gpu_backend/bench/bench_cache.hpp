// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu_backend/bench/roofline.hpp"
#include "gpu_backend/launch/device_pool.hpp"

namespace vacancy::gpu {

/// Median of the device's times of a call, after calls that warm it up.
double median_seconds(Device& device, const std::function<void()>& call);

/// The caches of `requests` sequences in device memory, each of `tokens` BF16 tokens of numbers of
/// magnitude about 1, their blocks in no order; and room for as many fresh ones.
class BenchCache {
 public:
  BenchCache(Device& device, const CacheShape& shape, int tokens, int requests = 1);

  Device& device() const { return device_; }
  const CacheShape& shape() const { return shape_; }
  int tokens() const { return tokens_; }
  const DevicePool& pool() const { return pool_; }
  const DevicePool& fresh() const { return fresh_; }
  std::int64_t bytes() const { return pool_parts(pool_.shape())[0].bytes; }
  /// Of caches of so many tokens, a multiple of 16; of all.
  BlockTables tables(int tokens);
  BlockTables tables() { return tables(tokens_); }

  /// Read and written bytes a second of a copy of all caches.
  double copy_rate();

 private:
  void fill();

  Device& device_;
  CacheShape shape_;
  int tokens_, requests_;
  DevicePool pool_, fresh_;
  Buffer<std::int32_t> indices_, indptr_, last_;
};

/// Lists of moves in device memory, for one keep set.
class BenchMoves {
 public:
  BenchMoves(Device& device, const std::vector<std::int32_t>& from,
             const std::vector<std::int32_t>& to)
      : bounds_(device, std::vector<std::int32_t>{0, static_cast<std::int32_t>(from.size())}),
        from_(device, from),
        to_(device, to) {}

  MoveLists lists() const {
    return {bounds_.data(),
            bounds_.data() + 1,
            from_.data(),
            to_.data(),
            {},
            static_cast<int>(from_.size())};
  }

 private:
  Buffer<std::int32_t> bounds_, from_, to_;
};

}  // namespace vacancy::gpu
