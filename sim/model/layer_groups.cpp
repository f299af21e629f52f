// SPDX-License-Identifier: Apache-2.0
#include "sim/model/layer_groups.hpp"

#include <algorithm>

#include "sim/model/memory.hpp"

namespace vacancy {

std::uint32_t LayerGroups::unused_layers() const {
  std::uint32_t unused = 0;
  for (const LayerGroup& group : groups)
    unused += layers_per_block - group.layers;
  return unused;
}

LayerGroups group_layers(const ModelGeometry& model) {
  std::vector<LayerGroup> kinds;
  for (const LayerKind layer : model.layers) {
    if (layer == LayerKind::state) continue;
    const auto known = std::ranges::find(kinds, layer, &LayerGroup::kind);
    if (known == kinds.end())
      kinds.push_back({layer, 1});
    else
      ++known->layers;
  }
  LayerGroups result;
  if (kinds.empty()) return result;
  const auto [least, most] = std::ranges::minmax(kinds, {}, &LayerGroup::layers);
  result.layers_per_block = 2 * most.layers < 3 * least.layers ? most.layers : least.layers;
  for (const LayerGroup& kind : kinds) {
    const auto groups =
        static_cast<std::uint32_t>(blocks_for_tokens(kind.layers, result.layers_per_block));
    // Layer i of a kind goes to its group i mod groups.
    for (std::uint32_t group = 0; group < groups; ++group)
      result.groups.push_back({kind.kind, (kind.layers - group + groups - 1) / groups});
  }
  return result;
}

Bytes bytes_per_block(const ModelGeometry& model, const LayerGroups& groups,
                      std::uint32_t block_size) {
  return bytes_per_block(model, block_size, TableSpan::layer) * groups.layers_per_block;
}

}  // namespace vacancy
