// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/reuse_tree_options.hpp"

namespace vacancy {

const OptionTable<ReuseTreeKeys>& reuse_tree_table() {
  static const auto table =
      OptionTable<ReuseTreeKeys>()
          .add("window_share", &ReuseTreeKeys::window_share, "", {},
               "TensorRT-LLM, models with sliding windows: how the window sizes share the memory "
               "of cache.blocks: the same bytes each, or in proportion to window × bytes a token; "
               "by default the profile's own.")
          .add("offload_threshold", &ReuseTreeKeys::offload_threshold, "", {0, 100},
               "TensorRT-LLM, with host memory: contents of a lower priority are dropped instead "
               "of offloaded; by default the profile's own.")
          .add("onboarding", &ReuseTreeKeys::onboarding, "", {},
               "TensorRT-LLM, with host memory: whether contents go there and come back; by "
               "default the profile's own.");
  return table;
}

Parameter host_memory_key() {
  return {"host_memory",
          ParameterType::text,
          "bytes",
          std::monostate{},
          true,
          {},
          {},
          {},
          "TensorRT-LLM: size of the host memory instead of host_blocks, such as \"64GiB\"."};
}

}  // namespace vacancy
