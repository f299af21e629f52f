// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/keep_sets/keep_set_axes.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// How much memory reading a recording may take, and how much it will: known before any of it is
/// taken, since a few bytes of a file can claim millions of keep sets.
struct MemoryLimit {
  Bytes most;
  std::function<Bytes(const KeepSetAxes& axes, std::uint32_t tokens)> needed;
  std::string remedy;  // a sentence
};

/// Memory of a KeepSetReader and a KeepHistory once the sequence has so many tokens; an upper
/// bound.
Bytes history_memory(const KeepSetAxes& axes, std::uint32_t tokens);
/// The same for a KeepSetReplay. Whatever is evicted, it takes no more.
Bytes replay_memory(const CacheConfig& cache, const ReclaimerEntry& reclaimer,
                    std::uint32_t tokens);

}  // namespace vacancy
