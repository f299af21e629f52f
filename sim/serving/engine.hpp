// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/serving/cache_manager.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/workload/beam_parents.hpp"

namespace vacancy {

/// The memory manager that a profile describes.
std::unique_ptr<CacheManager> make_cache_manager(const EngineProfile& profile, Bytes block_bytes,
                                                 Observer& observer);
/// The same for requests in beam search, for which the profile manages memory as vLLM does.
std::unique_ptr<CacheManager> make_beam_manager(const EngineProfile& profile, Bytes block_bytes,
                                                const BeamParents& parents, Observer& observer);

}  // namespace vacancy
