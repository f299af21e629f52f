// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/serving/contiguous/contiguous_manager.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/sglang/radix_manager.hpp"
#include "sim/serving/trtllm/reuse_tree_manager.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"

namespace vacancy {

/// A named version of a real engine, as a list of choices.
struct EngineProfile {
  std::string name;
  std::string summary;   // one sentence
  std::string citation;  // engine, commit or tag
  // The memory manager: exactly one.
  std::optional<HashChainOptions> hash_chain;   // vLLM's
  std::optional<RadixOptions> radix;            // SGLang's
  std::optional<ReuseTreeOptions> reuse_tree;   // TensorRT-LLM's
  std::optional<ContiguousOptions> contiguous;  // engines before paging
  /// The longest sequence, prompt and output, that it serves; nothing: any.
  std::optional<std::uint32_t> max_sequence_tokens;
  /// How it composes steps. Its limits are the scenario's.
  SchedulerOptions scheduler;
  /// Steps in flight at a time: 2 where the engine schedules while the step before still runs.
  std::uint32_t steps_in_flight = 1;
};

std::span<const EngineProfile> engine_profiles();
/// The profile of that name, or null.
const EngineProfile* find_engine_profile(std::string_view name);

}  // namespace vacancy
