// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/registry/parameter.hpp"
#include "sim/serving/trtllm/reuse_tree_options.hpp"

namespace vacancy {

/// Keys of the section engine that only TensorRT-LLM's memory manager has. A member without a value
/// stands for the profile's own.
struct ReuseTreeKeys {
  std::optional<reuse_tree::MemoryShare> window_share;
};

const OptionTable<ReuseTreeKeys>& reuse_tree_table();

}  // namespace vacancy
