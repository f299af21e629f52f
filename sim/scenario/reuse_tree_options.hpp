// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/registry/parameter.hpp"
#include "sim/serving/trtllm/reuse_tree_options.hpp"

namespace vacancy {

/// Keys of the section engine that only TensorRT-LLM's memory manager has. A member without a value
/// stands for the profile's own.
struct ReuseTreeKeys {
  std::optional<reuse_tree::MemoryShare> window_share;
  std::optional<std::uint32_t> offload_threshold;
  std::optional<bool> onboarding;
  std::optional<bool> partial_reuse, copy_on_partial_reuse;
  std::optional<std::uint32_t> retain_prompt_priority, retain_prompt_tokens;
  std::optional<double> retain_prompt_seconds;
  std::optional<std::uint32_t> retain_decode_priority;
  std::optional<double> retain_decode_seconds;
};

const OptionTable<ReuseTreeKeys>& reuse_tree_table();
/// The one key that is not a plain value: bytes, instead of host_blocks.
Parameter host_memory_key();

}  // namespace vacancy
