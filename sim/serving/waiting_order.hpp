// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/serving/request.hpp"

namespace vacancy {

/// A request that waits, and how many tokens its sequence has so far.
struct WaitingRequest {
  const Request* request = nullptr;
  std::uint32_t known = 0;
};

/// An order of the waiting requests that a memory manager asks for, because it knows which of them
/// find what in the cache.
class WaitingOrder {
 public:
  virtual ~WaitingOrder() = default;

  /// Whether a queue of this length is put into order at all.
  virtual bool applies(std::size_t waiting) const = 0;
  /// Indices of all of them, next to be considered first. The queue stays in this order.
  virtual std::vector<std::uint32_t> order(std::span<const WaitingRequest> waiting) = 0;
};

}  // namespace vacancy
