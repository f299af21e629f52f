// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy {

/// Identity of a full block's contents together with everything before it: two blocks hold the same
/// keys and values exactly if their ids are equal. It stands for the chained hash of an engine
/// (spec engines V1, T1), without its collisions.
struct ContentId {
  std::uint64_t key = 0;  // of the trace's block that contains it, or of the request that wrote it
  std::uint32_t index = 0;  // logical block in the sequence
  std::uint32_t space = 0;  // separates tenants, cache groups, and keys of traces from requests

  bool operator==(const ContentId&) const = default;
};

}  // namespace vacancy
