// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/reuse_tree_options.hpp"

namespace vacancy {

const OptionTable<ReuseTreeKeys>& reuse_tree_table() {
  static const auto table = OptionTable<ReuseTreeKeys>().add(
      "window_share", &ReuseTreeKeys::window_share, "", {},
      "TensorRT-LLM, models with sliding windows: how the window sizes share the memory "
      "of cache.blocks: the same bytes each, or in proportion to window × bytes a token; "
      "by default the profile's own.");
  return table;
}

}  // namespace vacancy
