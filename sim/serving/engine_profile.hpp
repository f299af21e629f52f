// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/prefix/radix/radix_cache.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"

namespace vacancy {

/// The choices of SGLang's memory manager.
struct RadixOptions {
  RadixCacheOptions cache;
  bool need_sort = false;  // S9
};

/// A named version of a real engine, as a list of choices.
struct EngineProfile {
  std::string name;
  std::string summary;   // one sentence
  std::string citation;  // engine, commit or tag
  // The memory manager: exactly one.
  std::optional<HashChainOptions> hash_chain;  // vLLM's
  std::optional<RadixOptions> radix;           // SGLang's
  /// Steps in flight at a time: 2 where the engine schedules while the step before still runs.
  std::uint32_t steps_in_flight = 1;
};

std::span<const EngineProfile> engine_profiles();
/// The profile of that name, or null.
const EngineProfile* find_engine_profile(std::string_view name);

}  // namespace vacancy
