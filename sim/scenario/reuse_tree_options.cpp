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
               "default the profile's own.")
          .add("partial_reuse", &ReuseTreeKeys::partial_reuse, "", {},
               "TensorRT-LLM: whether a prompt finds the block of which it has a part; by default "
               "the profile's own.")
          .add("copy_on_partial_reuse", &ReuseTreeKeys::copy_on_partial_reuse, "", {},
               "TensorRT-LLM, with partial reuse: whether the part is copied where others need "
               "the block, or then not found; by default the profile's own.")
          .add("retain_prompt_priority", &ReuseTreeKeys::retain_prompt_priority, "", {0, 100},
               "TensorRT-LLM: what every request asks for its prompt's blocks: those of a lower "
               "priority are taken first, and 35 is that of all others; by default the profile's "
               "own.")
          .add("retain_prompt_seconds", &ReuseTreeKeys::retain_prompt_seconds, "seconds", {0, 1e9},
               "TensorRT-LLM: how long after their last use they keep it; by default the "
               "profile's own, which is for ever.")
          .add("retain_prompt_tokens", &ReuseTreeKeys::retain_prompt_tokens, "tokens",
               {1, 1u << 30},
               "TensorRT-LLM: that this is asked for the first so many tokens only; by default the "
               "profile's own, which is all.")
          .add("retain_decode_priority", &ReuseTreeKeys::retain_decode_priority, "", {0, 100},
               "TensorRT-LLM: what every request asks for the blocks of its output; by default "
               "the profile's own.")
          .add("retain_decode_seconds", &ReuseTreeKeys::retain_decode_seconds, "seconds", {0, 1e9},
               "TensorRT-LLM: how long after their last use these keep it; by default the "
               "profile's own.");
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
